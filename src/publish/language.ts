/** What the bot's own texts are written in. */
export const LANGUAGES = ['en', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The configured language, else that of the person's own words. Pure. */
export function languageOf(configured: Language | undefined, words: string): Language {
  return configured ?? (isChinese(words) ? 'zh' : 'en');
}

/** A Chinese sentence names files and commands in Latin letters, so a part of its characters is enough. */
function isChinese(text: string): boolean {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  const kana = text.match(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0;
  const letters = text.match(/\p{Letter}/gu)?.length ?? 0;
  return han > 0 && kana === 0 && han * 5 >= letters;
}
