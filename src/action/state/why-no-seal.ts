/** Keys of providers are longer. What a guessable one seals, such as `ollama`, anybody could. */
const SHORTEST = 16;

/** Why a key seals nothing; undefined for one that does. Pure. */
export function whyNoSeal(apiKey: string | undefined): string | undefined {
  if (apiKey === undefined) return 'is empty';
  const isGuessable = apiKey.length < SHORTEST || new Set(apiKey).size < SHORTEST / 2;
  return isGuessable ? 'could be guessed' : undefined;
}
