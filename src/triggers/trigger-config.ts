import type { Config } from '../config/config.ts';

/** Who we are on GitHub; without an app (a token in a terminal or an Action) only the markers tell our own words. */
export interface OwnIdentity {
  readonly appId?: number;
  readonly appSlug?: string;
  readonly botLogin?: string;
}
export type TriggerConfig = Pick<Config, 'aliases' | 'allowBots' | 'review' | 'triggers' | 'branch' | 'language'> & {
  readonly self: OwnIdentity;
};
