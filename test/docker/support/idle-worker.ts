import { workerBoot } from '../../../src/docker/sweep/worker-boot.ts';

/** Tells its name and waits to be killed. */
console.log(workerBoot());
setInterval(() => {}, 1_000);
