import type { AgentHandle } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import type { Checkout } from '../../github/git/checkout.ts';
import { languageOf } from '../../publish/language.ts';
import type { Progress } from '../../publish/progress/surface.ts';
import type { JobRequest } from '../job/job.ts';
import type { Job, Workplace } from '../job/job-kind.ts';
import type { LiveJob } from '../job/live-job.ts';
import type { JobParts } from '../job/job-parts.ts';
import { AskPeople } from './ask/ask-people.ts';
import { askPublication, Publications } from './ask/ask-publication.ts';
import type { Permitted, ToPublish } from './ask/ask-publication.ts';
import { AskTerminal } from './ask/ask-terminal.ts';
import { closeLeftRequests } from './end/close-left-requests.ts';
import { addPeopleChannel } from './people-channel.ts';
import type { PeopleParts } from './people-parts.ts';

declare module '../../harness/kernel/context.ts' {
  interface Context {
    /** Asks people about what is to be published; without it nothing is asked. */
    publicationGate: PublicationGate;
  }
}
export interface PublicationGate {
  permit(workplace: Workplace, work: ToPublish): Promise<Permitted | undefined>;
}

export interface TurnPeopleParts {
  readonly request: JobRequest;
  readonly parts: JobParts;
  readonly live: LiveJob;
  readonly job: Job;
  readonly checkout: Checkout;
  readonly progress: Progress;
}

/** How one turn reaches people. */
export interface TurnPeople {
  /** To be called while the agent is made. */
  mount(agentCtx: Context, root: Context): void;
  /** To be called once it is there. */
  attach(handle: AgentHandle): void;
}

export function peopleOfTurn(turn: TurnPeopleParts): TurnPeople {
  const { request, parts, live, job, checkout, progress } = turn;
  const people = peopleParts(parts);
  const { terminal } = request.asking ?? {};
  const byComment = new AskPeople({
    ...{ request, records: parts.records, parts: people, live, checkout, winding: parts.winding },
    changesTree: job.mode === 'workspace-write',
    forgetful: parts.forgetful ?? false,
    onChange: () => progress.changed(),
  });
  const asker = terminal ? new AskTerminal(terminal, request, parts.now) : byComment;
  const publications = new Publications();
  const { redact } = people;
  return {
    attach: (handle) => (byComment.handle = handle),
    mount: (agentCtx, root) => {
      const { rules } = request.config.approval;
      const language = languageOf(request.config.language, request.turn.request);
      addPeopleChannel({ agentCtx, root, people: asker, rules, redact, language, publicationOf: publications.of });
      closeLeftRequests(agentCtx, people.requests, parts.now);
      const gate = { request, requests: people.requests, redact, publications };
      root.provide('publicationGate', { permit: (place, work) => askPublication(place, work, gate) });
    },
  };
}

export function peopleParts({ records, live, now, redactor, log }: JobParts): PeopleParts {
  return { requests: records.requests, live, now, log, redact: (text) => redactor.redact(text) };
}
