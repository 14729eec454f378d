import type { ToolDispatchExecution, ToolExecution } from './types.ts';

/** The view that wrappers get: fixed like the call itself, but for the signal, which may only become another signal. */
export function dispatchExecution(exec: Readonly<ToolExecution>): ToolDispatchExecution {
  let current = exec.signal;
  const view = { ...exec };
  Object.defineProperty(view, 'signal', {
    enumerable: true,
    get: () => current,
    set: (signal: AbortSignal) => {
      if (typeof signal?.aborted !== 'boolean') throw new TypeError('exec.signal cannot be removed');
      current = signal;
    },
  });
  return Object.freeze(view);
}

/** What the body gets: the caller's cancel always comes through, whatever a wrapper put in its place. */
export function fusedSignal(caller: AbortSignal, replaced: AbortSignal): AbortSignal {
  return replaced === caller ? caller : AbortSignal.any([caller, replaced]);
}
