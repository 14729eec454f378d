import { MemoryBash } from '../../support/memory-bash.ts';
import { contractScripts } from './contract-commands.ts';
import { runBashContract } from './run-bash-contract.ts';

runBashContract('the stand-in in memory', async () => ({
  bash: new MemoryBash(contractScripts(), { missing: ['/missing'] }),
  root: '/workspace',
  missing: '/missing',
  close: async () => {},
}));
