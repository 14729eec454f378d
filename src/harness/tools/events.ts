import type { Agent } from '../agent/types.ts';
import type { Scoped } from '../scope/scope.ts';
import type { ToolRegistry } from './tool-registry.ts';
import type {
  PostToolDecision,
  PreToolDecision,
  ToolDispatchExecution,
  ToolExecution,
  ToolExecutionResult,
} from './types.ts';

type Awaitable<T> = T | Promise<T>;

/** All but `tools/change` are scope-filtered by the agent of the call. */
declare module '../kernel/context.ts' {
  interface Context {
    tools: ToolRegistry;
  }
  interface Events {
    /** Decides whether a call may run; without listeners it may. */
    'tools/pre-execute'(
      this: Scoped<Agent>,
      exec: Readonly<ToolExecution>,
      next: () => Promise<PreToolDecision>,
    ): Awaitable<PreToolDecision>;
    /** Wraps the body. A listener may replace `exec.signal` for what it wraps, and restores it. */
    'tools/execute'(
      this: Scoped<Agent>,
      exec: ToolDispatchExecution,
      next: () => Promise<ToolExecutionResult>,
    ): Awaitable<ToolExecutionResult>;
    /** Judges the (frozen) result. A listener that adds contexts delegates first and adds to what came back. */
    'tools/post-execute'(
      this: Scoped<Agent>,
      exec: Readonly<ToolExecution>,
      result: Readonly<ToolExecutionResult>,
      next: () => Promise<PostToolDecision>,
    ): Awaitable<PostToolDecision>;
    /** Observes the final, frozen result. */
    'tools/result'(this: Scoped<Agent>, exec: Readonly<ToolExecution>, result: Readonly<ToolExecutionResult>): void;
    /** The set of visible tools may have changed, for anyone. */
    'tools/change'(): void;
  }
}
