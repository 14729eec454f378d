/** A person at a terminal. Both throw what the signal was aborted with. */
export interface Terminal {
  say(line: string): void;
  /** One line, without its end. */
  ask(prompt: string, signal: AbortSignal): Promise<string>;
}
