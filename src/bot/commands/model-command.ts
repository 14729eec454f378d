import { ModelRoute } from '../../config/config-file.ts';
import { inertInline } from '../../publish/markdown/inert-line.ts';
import { withSettings } from '../session/session-settings.ts';
import { textsFor } from './command-texts.ts';
import { failure, success } from './human-command.ts';
import type { HumanCommandHandler } from './human-command.ts';

/** Shows the session's model, or chooses it for all turns to come. */
export const modelCommand: HumanCommandHandler = async (command) => {
  const { intake, place, services } = command;
  const texts = textsFor(command);
  const { records, providers, modelOf } = services;
  const wanted = intake.reading.command.text;
  if (wanted === '') {
    const settings = await records.settings.get(intake.session);
    return success(texts.modelIs(inertInline(modelOf(withSettings(place.config, settings, Infinity)))));
  }
  const [provider = ''] = wanted.split('/');
  if (!ModelRoute.safeParse(wanted).success) return failure(texts.writeModel);
  if (!providers.includes(provider)) {
    const known = providers.map((name) => `\`${name}\``).join(', ');
    return failure(texts.noKey(inertInline(provider), known));
  }
  await records.settings.set(intake.session, { model: wanted });
  return success(texts.modelSet(inertInline(wanted)));
};
