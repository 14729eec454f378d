/** Events that only tests use. */
declare module '../../../src/harness/kernel/context.ts' {
  interface Events {
    'test/note'(text: string): void;
    'test/task'(text: string): void | Promise<void>;
    'test/ask'(text: string): unknown;
    'test/wrap'(text: string, next: () => string): string;
  }
  interface Context {
    clock: { now(): number };
    shelf: object;
  }
}

export {};
