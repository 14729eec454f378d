import js from '@eslint/js';
import { importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

/** Folder by folder, what may be imported (docs/design.md, "Who may import whom"). The rest of `src` is forbidden. */
const MAY_IMPORT = {
  harness: ['harness'],
  seams: ['harness', 'seams'],
  models: ['harness', 'models'],
  docker: ['harness', 'seams', 'docker'],
  store: ['harness', 'store', 'seams/session-query', 'bot/session/session-events.ts'],
  config: ['harness', 'config', 'models'],
  triggers: [
    ...['harness', 'config', 'triggers', 'github', 'publish', 'bot/session/session-events.ts'],
    'seams/goal/goal-word.ts',
  ],
  github: ['harness', 'config', 'triggers', 'publish', 'github'],
  publish: ['harness', 'config', 'triggers', 'github', 'publish', 'bot/session/session-events.ts', 'seams'],
  bot: ['harness', 'seams', 'models', 'config', 'triggers', 'github', 'publish', 'bot', 'store/records.ts'],
  demo: ['harness', 'demo'],
};

const zones = Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
  target: `./src/${folder}`,
  from: './src',
  except: [...allowed, ...(folder === 'harness' ? [] : ['errors.ts', 'remove-folder.ts'])].map((p) => `./${p}`),
  message: `src/${folder} may import only: ${allowed.join(', ')} (docs/design.md)`,
}));

export default tseslint.config(
  { ignores: ['node_modules/', 'lib/', 'dist/', 'coverage/', 'test/fixtures/'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { 'import-x': importX },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones }],
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-empty-object-type': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/no-unsafe-declaration-merging': 'off',
      'no-restricted-syntax': ['error', { selector: 'TSEnumDeclaration', message: 'erasable syntax only' }],
      'no-control-regex': 'off',
    },
  },
  {
    files: ['src/harness/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^(?!\\.|node:|zod$)', message: 'harness imports only itself, zod and node:' }] },
      ],
    },
  },
  { files: ['**/*.js'], languageOptions: { globals: { process: 'readonly', console: 'readonly' } } },
);
