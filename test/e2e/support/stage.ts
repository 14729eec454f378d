import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGitHub } from '../../../src/demo/github/start-github.ts';
import type { GitHubServer } from '../../../src/demo/github/start-github.ts';
import { GATE_HEAD } from '../../../src/bot/prompts/gate.ts';
import type { ChatRequest } from '../../../src/demo/model/chat-request.ts';
import { callsAll, scriptByTurn } from '../../../src/demo/model/reply.ts';
import type { Reply, Script } from '../../../src/demo/model/reply.ts';
import { startModelServer } from '../../../src/demo/model/start-model-server.ts';
import type { ModelServer } from '../../../src/demo/model/start-model-server.ts';
import { ISSUE, REPOSITORY_FILES } from '../../../src/demo/story/repository.ts';
import { openapiValidator } from '../../support/openapi-validator.ts';
import { whatIsLeftOf } from './leftovers.ts';

export type Files = Readonly<Record<string, string>>;
export type Variables = Readonly<Record<string, string | undefined>>;

/** A GitHub, a model, a folder for everything a host writes. Maria may write, rita may read, tom is a stranger. */
export interface Stage {
  readonly github: GitHubServer;
  readonly model: ModelServer;
  readonly modelKey: string;
  readonly root: string;
  readonly dataDir: string;
  /** Replaces what the model says from its next request on. */
  play(script: Script | readonly Reply[]): void;
  /** Adds `acme/<name>` with its people. `files: undefined` leaves it empty. */
  addRepository(name: string, files?: Files | undefined): Promise<string>;
  /** Adds a repository and an issue of tom's in it. */
  addIssue(name: string, files?: Files, issue?: { title: string; body: string }): Promise<Subject>;
  /** Ends everything; answers what was left behind that nobody took away. */
  close(): Promise<string[]>;
}
export interface Subject {
  readonly repo: string;
  readonly number: number;
  readonly url: string;
}

const MODEL_KEY = 'sk-e2e-model-key-0123456789';
const validate = openapiValidator();

export async function openStage(): Promise<Stage> {
  const root = await mkdtemp(join(tmpdir(), 'dsh-e2e-'));
  const dataDir = join(root, 'data');
  for (const folder of ['tmp', 'run']) await mkdir(join(root, folder));
  const github = await startGitHub({ validate });
  let script: Script = scriptByTurn([]);
  let before = 0;
  const model = await startModelServer({
    script: (request, index) => {
      if (!isShownItsChange(request)) return script(request, index - before);
      before += 1;
      return submittedAgain(request);
    },
    apiKey: MODEL_KEY,
  });
  const addRepository: Stage['addRepository'] = async (name, files = REPOSITORY_FILES) => {
    await github.addRepository({ owner: 'acme', name, files: { ...files } });
    github.addCollaborator(`acme/${name}`, 'maria', 'write');
    github.addCollaborator(`acme/${name}`, 'rita', 'read');
    return `acme/${name}`;
  };
  return {
    ...{ github, model, modelKey: MODEL_KEY, root, dataDir, addRepository },
    play(next) {
      before = model.requests.length;
      script = typeof next === 'function' ? next : scriptByTurn(next);
    },
    addIssue: async (name, files, issue = ISSUE) => {
      const repo = await addRepository(name, files);
      const { number } = await github.openIssue(repo, { by: 'tom', ...issue });
      return { repo, number, url: `${github.url}/${repo}/issues/${number}` };
    },
    async close() {
      await model.close();
      await github.close();
      const left = await whatIsLeftOf(root);
      await rm(root, { recursive: true, force: true });
      return left;
    },
  };
}

/** A submission is answered with the change itself, once for each state of the tree; it stands as it is. */
export function isShownItsChange({ messages }: ChatRequest): boolean {
  const last = messages.at(-1);
  return last?.role === 'tool' && last.content.startsWith(GATE_HEAD);
}

function submittedAgain({ messages }: ChatRequest): Reply {
  const said = messages.findLast((message) => message.role === 'assistant');
  return callsAll((said?.tool_calls ?? []).map((call) => call.function));
}

/** What every host reads from its environment, apart from its credentials at GitHub. */
export function commonVariables({ github, model, modelKey, root, dataDir }: Stage): Variables {
  return {
    GITHUB_API_URL: github.apiUrl,
    GITHUB_SERVER_URL: github.url,
    DSH_DATA_DIR: dataDir,
    DSH_MODEL: 'deepseek/deepseek-flash',
    DSH_MODEL_BASE_URL: model.baseUrl,
    DEEPSEEK_API_KEY: modelKey,
    DOCKER_HOST: process.env.DOCKER_HOST,
    DSH_SANDBOX_IMAGE: process.env.DSH_SANDBOX_IMAGE,
    TMPDIR: join(root, 'tmp'),
    HOME: root,
  };
}
