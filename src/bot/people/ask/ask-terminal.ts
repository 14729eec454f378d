import type { Agent } from '../../../harness/agent/types.ts';
import type { HumanAnswer, HumanRequest } from '../../../store/records.ts';
import { REQUEST_TEXTS } from '../../../publish/request/request-texts.ts';
import { UNFIT_TEXTS } from '../../../publish/request/unfit-texts.ts';
import { languageOf } from '../../../publish/language.ts';
import type { Language } from '../../../publish/language.ts';
import type { JobRequest } from '../../job/job.ts';
import { answerEvent } from './ask-people.ts';
import type { AskPeople, Asking } from './ask-people.ts';
import { readTextAnswer } from '../answer/read-answer.ts';
import type { ApprovalData, QuestionData } from '../request-data.ts';
import type { Terminal } from './terminal.ts';

/** Asks the person at the terminal, who waits for the turn anyway: nothing is stored and nothing parked. */
export class AskTerminal implements Pick<AskPeople, 'ask'> {
  readonly #terminal: Terminal;
  readonly #job: Pick<JobRequest, 'turn' | 'config'>;
  readonly #now: () => Date;

  constructor(terminal: Terminal, job: Pick<JobRequest, 'turn' | 'config'>, now: () => Date) {
    this.#terminal = terminal;
    this.#job = job;
    this.#now = now;
  }

  async ask(agent: Agent, asking: Asking): Promise<HumanRequest | undefined> {
    const { data } = asking;
    const given = data.kind === 'approval' ? await this.#approve(data, asking) : await this.#answer(data, asking);
    const { actor, repo } = this.#job.turn.reading;
    const at = this.#now().getTime();
    const turn = agent.session.openTurn ?? agent.session.lastTurn;
    const by = { id: actor.id, login: actor.login };
    const request: HumanRequest = {
      ...{ id: asking.id, kind: data.kind, session: agent.id, repo: repo.id, turn, callId: asking.callId },
      ...{ tool: asking.tool, digest: asking.digest, data: {}, job: {}, askedOf: by, commentId: undefined },
      ...{ askedAt: at, expiresAt: at, state: given.state },
      answer: { actor: by, how: 'terminal', value: given.value, url: undefined, at },
    };
    agent.session.append('human/answer', answerEvent(request, turn));
    return request;
  }

  async #approve(data: Omit<ApprovalData, 'language' | 'headSha' | 'snapshot'>, { tool, signal }: Asking) {
    const texts = this.#texts;
    const { command, rest, diff } = data.shown;
    this.#terminal.say(tool === 'publish' ? texts.wantsToPublish : texts.wantsToRun(tool));
    for (const text of [command, rest, diff]) if (text !== undefined) this.#terminal.say(text);
    if (data.reason) this.#terminal.say(`${texts.why}: ${data.reason}`);
    for (const line of data.touches) this.#terminal.say(`- ${line}`);
    const line = await this.#terminal.ask('approve? [y/N, or a reason to deny] ', signal);
    const isYes = /^(y|yes|是)$/i.test(line.trim());
    const reason = /^(n|no|否)?$/i.test(line.trim()) ? undefined : line.trim();
    return isYes ? ({ state: 'allowed', value: undefined } as const) : ({ state: 'rejected', value: reason } as const);
  }

  async #answer(
    { questions }: Omit<QuestionData, 'language' | 'headSha' | 'snapshot'>,
    { signal }: Asking,
  ): Promise<{ state: 'answered'; value: HumanAnswer['value'] }> {
    const answers = [];
    for (const question of questions) {
      this.#terminal.say(question.question);
      if (question.detail) this.#terminal.say(question.detail);
      for (const [at, { label, description }] of (question.options ?? []).entries())
        this.#terminal.say(`  ${at + 1}. ${label}${description ? `: ${description}` : ''}`);
      for (;;) {
        const line = await this.#terminal.ask('> ', signal);
        const read = readTextAnswer([question], line, UNFIT_TEXTS[this.#language]);
        if (read.kind === 'answer') {
          answers.push(...read.answer.answers);
          break;
        }
        if (read.kind === 'unfit') this.#terminal.say(read.why);
      }
    }
    return { state: 'answered', value: { answers } as unknown as HumanAnswer['value'] };
  }

  get #texts() {
    return REQUEST_TEXTS[this.#language];
  }

  get #language(): Language {
    const { config, turn } = this.#job;
    return languageOf(config.language, turn.request);
  }
}
