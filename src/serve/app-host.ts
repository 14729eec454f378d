import type { JobRequest, RepositoryAccess } from '../bot/job/job.ts';
import type { ConfigFile } from '../config/config-file.ts';
import type { Env } from '../config/env.ts';
import type { BotServices } from '../bot/job/services.ts';
import type { Bot } from '../create-bot.ts';
import { DshError } from '../errors.ts';
import type { Host } from '../handle-event.ts';
import { CommentSurface } from '../publish/progress/comment-surface.ts';
import { openAccess } from '../repository-access.ts';
import type { EventPlace } from '../triggers/place-of.ts';
import type { TurnQueue } from './turn-queue.ts';

export interface AppHostOptions {
  readonly env: Env;
  readonly bot: Bot;
  readonly operator: ConfigFile;
  readonly privateKey: string;
  readonly userAgent: string;
  readonly appId: number;
  readonly slug: string;
  readonly queue: TurnQueue;
  readonly transcriptAddress: BotServices['transcriptAddress'];
  readonly log: (message: string, error?: unknown) => void;
}

/** A server has the time to let a model name its sessions (session-title.md B4). */
const APP_DEFAULTS: ConfigFile = { titles: 'model' };

/** The App as a host: an installation's rights, everything told in comments, turns in the process's queue. */
export function appHost(options: AppHostOptions): Omit<Host, 'signal'> {
  const { bot, operator, appId, slug, queue, log } = options;
  const ownLogin = `${slug}[bot]`;
  const self = { appId, appSlug: slug, botLogin: ownLogin };
  return {
    ...{ self, operator: { ...APP_DEFAULTS, ...operator }, inputs: {}, readers: bot.readers },
    services: { ...bot.services, transcriptAddress: options.transcriptAddress },
    openRepository: accessCache((place) => openPlace(place, options, { self, ownLogin })),
    surfaceFor: ({ github, repo }, config) =>
      new CommentSurface({
        ...{ github, repo, ownLogin, log },
        everyMs: config.progress.everyMs,
        language: config.language,
        redact: (text) => bot.redactor.redact(text),
      }),
    runJob: async (request) => {
      const { actor, repo } = request.turn.reading;
      const turn = { session: request.session, person: actor.id, repository: repo.id };
      let greeted = Promise.resolve();
      const acceptEarly = async () =>
        request.surface.accepted(request.turn).catch((error: unknown) => log('a command could not be greeted', error));
      try {
        return await queue.run(
          turn,
          () => bot.runJob({ ...request, transcript: lastingPage(request, options) }),
          request.signal,
          () => (greeted = acceptEarly()),
        );
      } finally {
        // What takes a greeting back must not come before it.
        await greeted;
      }
    },
    causeTaken: (_session, { repo, cause, delivery }) => bot.causeTaken(repo.id, cause, delivery),
  };
}

/** Only where it asks who they are: what opens by itself does so for an hour, and the comment stays (H1). */
function lastingPage({ session, turn }: JobRequest, { transcriptAddress }: AppHostOptions): string | undefined {
  const address = transcriptAddress?.(session, !turn.reading.repo.private);
  return address?.kind === 'page' ? address.url : undefined;
}

/** Repositories whose tokens and looked-up rights are kept at hand. */
const OPEN_REPOSITORIES = 200;

function accessCache(open: (place: EventPlace) => RepositoryAccess): (place: EventPlace) => Promise<RepositoryAccess> {
  const known = new Map<string, RepositoryAccess>();
  return async (place) => {
    const { repo, installationId } = place;
    const key = `${installationId} ${repo.id} ${repo.owner}/${repo.repo}`;
    const access = known.get(key) ?? open(place);
    known.delete(key);
    known.set(key, access);
    const [oldest] = known.keys();
    if (known.size > OPEN_REPOSITORIES) known.delete(oldest!);
    return access;
  };
}

function openPlace(
  { repo, installationId }: EventPlace,
  { env, bot, privateKey, userAgent, appId }: AppHostOptions,
  identity: Pick<RepositoryAccess, 'self' | 'ownLogin'>,
): RepositoryAccess {
  if (installationId === undefined)
    throw new DshError(
      'The delivery names no installation.',
      'GITHUB_NOT_CONFIGURED',
      'Install the app on the repository.',
    );
  const auth = { appId, privateKey, installationId, repositoryIds: [repo.id] };
  const { redactor } = bot;
  const access = openAccess({ ...{ auth, userAgent, repo, redactor }, ...identity, apiUrl: env.GITHUB_API_URL });
  return { ...access, installationId };
}
