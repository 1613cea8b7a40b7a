/** Says how a text sounds, by a method that has a name. */
export interface SentimentScorer {
  readonly method: string;
  readonly lexiconSha256: string;
  /** From -1 (bad) to 1 (good); 0 for what says nothing. The same text gives the same number. */
  score(text: string): number;
}
