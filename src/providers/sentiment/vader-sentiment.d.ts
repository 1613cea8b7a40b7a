declare module 'vader-sentiment' {
  /** Scores of a text. `compound` is from -1 to 1. */
  interface Scores {
    readonly compound: number;
  }
  const vader: {
    readonly SentimentIntensityAnalyzer: { polarity_scores(text: string): Scores };
  };
  export = vader;
}
