import { sha256Hex } from '../../domain/common/hash.ts';

/**
 * Sentiment strength of a financial term, from -3 to 3. 0 removes the sentiment of its general use.
 */
export type Strength = -3 | -2 | -1 | 0 | 1 | 2 | 3;

/**
 * Manually rated market words and phrases. VADER does not know them or misreads them: "shares" as
 * sharing, "interest" as joy.
 */
const TERMS: Readonly<Record<`${Strength}`, string>> = {
  '3': `surge surges surged surging soar soars soared soaring skyrocket skyrockets skyrocketed
    skyrocketing all-time_high record_high record_profit record_profits moonshot blowout_earnings
    blowout_quarter breakthrough triumphs`,
  '2': `rally rallies rallied rallying jump jumps jumped rebound rebounds rebounded rebounding
    bullish outperform outperforms outperformed outperforming beat_expectations beats_expectations
    beat_estimates beats_estimates upgrade upgrades upgraded breakout breaks_out boom booms booming
    profit_rises profits_rise raises_guidance raised_guidance raises_forecast buyback buybacks
    approval approves approved adoption adopts inflow inflows upbeat tops_estimates
    topped_estimates golden_cross to_the_moon recovers recovered recovery hodl undervalued
    dividend_increase raises_dividend turns_profitable`,
  '1': `rise rises rose rising climb climbs climbed climbing gain gained gaining edge_up edges_up
    edged_up uptick higher accumulate accumulates accumulating expands expanded expansion
    partnership launches launched overweight outpaces stabilises stabilizes stabilised stabilized
    tailwind tailwinds listing_approved`,
  '0': `share shares shared interest interests interest_rate interest_rates gross crude crude_oil
    tank_farm bull_run_park united liability liabilities tax taxes credit credits debt_free_float
    trust trusts security securities bond bonds commodity commodities treasury mature matures
    maturity vice party parties fund funds`,
  '-1': `fall falls fell falling slip slips slipped slipping dip dips dipped dipping ease eases
    eased edge_down edges_down edged_down downtick lower underweight headwind headwinds delay
    delays delayed cools cooled slows slowed slowing slowdown outflow outflows dilution dilutes
    volatile volatility cautious`,
  '-2': `drop drops dropped dropping decline declines declined declining slide slides slid sliding
    slump slumps slumped slumping tumble tumbles tumbled tumbling bearish downgrade downgrades
    downgraded selloff sell-off sell_off miss_expectations misses_expectations missed_expectations
    misses_estimates missed_estimates profit_warning cuts_guidance cut_guidance cuts_forecast
    layoff layoffs lays_off laid_off recall recalls recalled lawsuit lawsuits sues sued probe
    probes probed subpoena subpoenaed overvalued bubble capitulation liquidation liquidations
    liquidated recession inflation_rises death_cross delist delists delisted delisting
    dividend_cut cuts_dividend impairment write-down writedown default_risk antitrust sanctions
    fine_of fined halts halted outage outages breach breached`,
  '-3': `plunge plunges plunged plunging crash crashes crashed crashing collapse collapses collapsed
    collapsing plummet plummets plummeted plummeting nosedive nosedives bankruptcy bankrupt
    files_for_bankruptcy filed_for_bankruptcy chapter_11 insolvency insolvent default defaults
    defaulted rug_pull rugpull rugged exit_scam ponzi fraud fraudulent hacked exploit exploited
    meltdown wiped_out going_concern bank_run depegs depegged embezzled embezzlement
    money_laundering indicted indictment`,
};

/** The word of VADER's own lexicon that replaces the terms of each strength. 0 is in no lexicon. */
const REPLACEMENTS: Readonly<Record<`${Strength}`, string>> = {
  '3': 'great',
  '2': 'good',
  '1': 'fine',
  '0': 'item',
  '-1': 'doubtful',
  '-2': 'poor',
  '-3': 'disaster',
};

const REPLACEMENT_BY_TERM: ReadonlyMap<string, string> = new Map(
  Object.entries(TERMS).flatMap(([strength, words]) =>
    words
      .trim()
      .split(/\s+/)
      .map((word) => [word.replaceAll('_', ' '), REPLACEMENTS[strength as `${Strength}`]] as const),
  ),
);

const LONGEST_FIRST = [...REPLACEMENT_BY_TERM.keys()].sort(
  (one, other) => other.length - one.length,
);
const ANY_TERM = new RegExp(`(?<![\\w-])(?:${LONGEST_FIRST.join('|')})(?![\\w-])`, 'gi');

/** Number of terms in the lexicon. */
export const LEXICON_TERMS = REPLACEMENT_BY_TERM.size;
/** SHA-256 of the lexicon, so that an answer states which words were used. */
export const LEXICON_SHA256 = sha256Hex(JSON.stringify([TERMS, REPLACEMENTS]));

/** Turns "no" into "not": "no fraud" is good news, but VADER adds both words up. */
const NO_BEFORE_REPLACEMENT = /(?<![\w-])no (?=(?:great|good|doubtful|poor|disaster)(?![\w-]))/gi;

/** Replaces financial terms with words that VADER knows. Capitals stay capitals. */
export function replaceTerms(text: string): string {
  const known = text.replaceAll(ANY_TERM, (found) => {
    const word = REPLACEMENT_BY_TERM.get(found.toLowerCase()) ?? found;
    return found.length > 1 && found === found.toUpperCase() ? word.toUpperCase() : word;
  });
  return known.replaceAll(NO_BEFORE_REPLACEMENT, 'not ');
}
