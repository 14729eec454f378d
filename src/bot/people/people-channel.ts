import type { Context } from '../../harness/kernel/context.ts';
import type { Config } from '../../config/config.ts';
import type { Language } from '../../publish/language.ts';
import { REASON_TEXTS } from '../../publish/request/reason-texts.ts';
import type { ReasonTexts } from '../../publish/request/reason-texts.ts';
import type { ApprovalRequest } from '../../seams/approval/types.ts';
import { answerByPeople } from './ask/answer-by-people.ts';
import { ruleFor } from './ask/approval-rules.ts';
import { approveByPeople } from './ask/approve-by-people.ts';
import type { AskPeople } from './ask/ask-people.ts';
import type { PublicationAsking } from './ask/ask-publication.ts';
import { loggedCall, ruledCall } from './ask/logged-call.ts';

export interface ChannelParts {
  readonly agentCtx: Context;
  /** Rules hold for child agents as well; what they would ask is asked of nobody, and so denied. */
  readonly root: Context;
  readonly people: Pick<AskPeople, 'ask'>;
  readonly rules: Config['approval']['rules'];
  /** Of what the bot itself says of a request. */
  readonly language: Language;
  readonly redact: (text: string) => string;
  /** What a request of ours for a publication shows. */
  readonly publicationOf: (request: ApprovalRequest) => PublicationAsking | undefined;
}

/** Carries the questions of one agent to people: approvals by the event, questions as their provider. */
export function addPeopleChannel(parts: ChannelParts): void {
  const { agentCtx, root, rules, language } = parts;
  if (rules.length > 0) addRules(root, rules, REASON_TEXTS[language]);
  agentCtx.on('approval/request', (request, next) => approveByPeople(request, next, parts));
  agentCtx.get('userInteraction')?.registerProvider({ ask: (request) => answerByPeople(request, parts) });
}

function addRules(root: Context, rules: ChannelParts['rules'], { ruleAsks }: ReasonTexts): void {
  root.on('tools/pre-execute', async (exec, next) => {
    const call = exec.agent && loggedCall(exec.agent, exec.callId);
    const rule = call && ruleFor(rules, ruledCall(call));
    if (rule === 'deny') return { kind: 'deny', reason: DENIED };
    return rule === 'ask' ? { kind: 'ask', reason: ruleAsks } : next();
  });
}

const DENIED = 'a rule of this repository does not allow this call — do not repeat it; go on without it';
