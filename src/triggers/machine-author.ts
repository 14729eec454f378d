import type { IgnoreReason } from './reading.ts';
import type { TriggerConfig } from './trigger-config.ts';

/** Why what a machine did is not ours to act on (T7): it is ourselves, or a bot that nobody allowed. Undefined for people. */
export function machineAuthor(
  sender: { login: string; type: string },
  { self, allowBots }: TriggerConfig,
): IgnoreReason | undefined {
  const login = sender.login.toLowerCase();
  if (self.botLogin && login === self.botLogin.toLowerCase()) return 'own-author';
  const allowed = allowBots.some((bot) => bot.toLowerCase() === login);
  return sender.type === 'Bot' && !allowed ? 'bot-author' : undefined;
}
