import { mergeConfig } from '../../config/merge-config.ts';
import { withSettings } from '../session/session-settings.ts';
import { textsFor } from './command-texts.ts';
import { failure, success } from './human-command.ts';
import type { HumanCommandHandler } from './human-command.ts';

/** Shows what one turn of the session may cost, or sets it, up to what the operator allows. */
export const budgetCommand: HumanCommandHandler = async (command) => {
  const { intake, place } = command;
  const { records } = command.services;
  const texts = textsFor(command);
  const { operator, inputs } = place.layers;
  const bound = mergeConfig(operator, inputs).budget.turn.cost;
  const text = intake.reading.command.text;
  if (text === '') {
    const settings = await records.settings.get(intake.session);
    const { turn } = withSettings(place.config, settings, bound).budget;
    const { steps, tokens, minutes } = turn;
    const shown = tokens.toLocaleString('en-US');
    return success(texts.budgetIs(dollars(turn.cost), steps, shown, minutes, dollars(bound)));
  }
  const amount = readAmount(text);
  if (amount === undefined) return failure(texts.writeBudget);
  if (amount > bound) return failure(texts.budgetBound(dollars(bound)));
  await records.settings.set(intake.session, { budget: amount });
  return success(texts.budgetSet(dollars(amount)));
};

function readAmount(text: string): number | undefined {
  const written = /^\$?\s*(\d{1,7}(?:\.\d{1,6})?)\s*(?:\$|usd)?$/i.exec(text)?.[1];
  const amount = Number(written);
  return amount > 0 ? amount : undefined;
}

function dollars(amount: number): string {
  return `$${amount.toFixed(2)}`;
}
