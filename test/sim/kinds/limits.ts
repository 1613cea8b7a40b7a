/** Total attempts of each effect. */
export const ATTEMPTS: Readonly<Record<string, number>> = {
  quick: 3,
  shared: 2,
  person: 3,
  single: 1,
  pay: 4,
  look: 3,
  refund: 3,
};

/** How many attempts of `shared` run at once in one lane. */
export const SHARED_MAX = 2;
