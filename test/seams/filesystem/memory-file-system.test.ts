import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { runFileSystemContract } from './run-file-system-contract.ts';

runFileSystemContract('the stand-in in memory', async () => {
  const fs = new MemoryFileSystem({}, { mode: 'workspace-write' });
  return {
    fs,
    root: fs.cwd,
    put: async (path, content) => fs.put(path, content.toString()),
    peek: async (path) => fs.textOf(path),
    link: async (path, target) => void fs.links.set(`${fs.cwd}/${path}`, target),
    remove: async (path) => fs.remove(path),
    close: async () => {},
  };
});
