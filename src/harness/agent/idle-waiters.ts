/** Those who wait for the next moment at which nothing is running or queued. */
export class IdleWaiters {
  #waiting: (() => void)[] = [];

  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  settle(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
