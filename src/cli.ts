#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { compileCacheOf } from './cli/compile-cache.ts';

const cache = compileCacheOf(process.env);
if (cache !== undefined) enableCompileCache(cache);

// Only what is imported from here on is compiled once for all runs.
const { runProgram } = await import('./cli/program/run-program.ts');
await runProgram(process.argv);
