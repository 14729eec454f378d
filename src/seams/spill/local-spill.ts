import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { LocalSpillStore } from './local-spill-store.ts';
import type { SpillLocalConfig } from './local-spill-store.ts';

/** Provides `ctx.spillStore` on a directory of this machine. */
export const localSpill: Plugin<SpillLocalConfig | undefined> = {
  name: 'spill-local',
  apply(ctx: Context, config) {
    ctx.provide('spillStore', new LocalSpillStore(config));
  },
};
