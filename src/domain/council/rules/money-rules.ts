import { findWrongNumbers, formatSignedUsd } from '../purchase-numbers.ts';
import { type CouncilRule, createRuleFactory, parsePercent, unknownFinding } from './rule.ts';

const cfo = createRuleFactory('CFO');
const procurement = createRuleFactory('PROCUREMENT');

/** Rules of the chief financial officer. */
export const CFO_RULES: readonly CouncilRule[] = [
  cfo.make(
    {
      id: '01',
      title: 'The cost of the term is within the approved budget',
      condition: 'Bring the cost of the term within the approved budget, or have it raised',
      isRedLine: true,
    },
    ({ figures: { budgetLeftMicroUsd: left } }) =>
      left === null
        ? unknownFinding('budget left')
        : {
            verdict: BigInt(left) >= 0n ? 'pass' : 'fail',
            text: `budget left: ${formatSignedUsd(BigInt(left))} USD`,
          },
  ),
  cfo.make(
    {
      id: '02',
      title: 'The savings cover the cost within two thirds of the term',
      condition: 'Show savings that cover the cost within two thirds of the term',
      dueDays: 30,
    },
    ({ facts, figures: { paybackMonths } }) => {
      if (paybackMonths === null || facts.money === undefined) return unknownFinding('payback');
      const bound = facts.money.term_years * 8;
      if (paybackMonths === 'never') {
        return { verdict: 'fail', text: 'payback: never within the term' };
      }
      const verdict = paybackMonths <= bound ? 'pass' : 'fail';
      return { verdict, text: `payback: ${paybackMonths} months (bound ${bound})` };
    },
  ),
  cfo.make(
    {
      id: '03',
      title: 'The figures that the brief states follow from its lines',
      condition: 'Correct the stated figures before the contract is signed',
    },
    ({ facts, figures }) => {
      if (facts.stated === undefined || figures.tcoMicroUsd === null) {
        return unknownFinding('stated figures');
      }
      const wrong = findWrongNumbers(facts, figures).map(({ figure }) => figure);
      return wrong.length === 0
        ? { verdict: 'pass', text: 'stated figures: they follow from the lines' }
        : { verdict: 'fail', text: `stated figures: wrong are ${wrong.join(', ')}` };
    },
  ),
];

/** Rules of the procurement lead. */
export const PROCUREMENT_RULES: readonly CouncilRule[] = [
  procurement.atLeast(
    {
      id: '01',
      title: 'At least three quotes were compared',
      condition: 'Compare at least three quotes, or record why that is not possible',
    },
    { fact: 'quotes compared', bound: 3, unit: 'quotes' },
    ({ contract }) => contract?.quotes_compared,
  ),
  procurement.atMost(
    {
      id: '02',
      title: 'Price increases are capped at 5 percent a year',
      condition: 'Cap price increases at 5 percent a year in the contract',
    },
    { fact: 'cap of price increases', bound: 5, unit: 'percent' },
    ({ contract }) => parsePercent(contract?.price_increase_cap_pct),
  ),
  procurement.make(
    {
      id: '03',
      title: 'No silent renewal with more than 90 days of notice',
      condition: 'Strike the automatic renewal, or shorten its notice to 90 days at most',
    },
    ({ facts: { contract } }) => {
      const { auto_renewal: renews, notice_days: days } = contract ?? {};
      if (renews === undefined || (renews && days === undefined)) return unknownFinding('renewal');
      if (!renews) return { verdict: 'pass', text: 'renewal: not automatic' };
      const verdict = (days ?? 0) <= 90 ? 'pass' : 'fail';
      return { verdict, text: `renewal: automatic with ${days} days of notice (bound 90)` };
    },
  ),
  procurement.isTrue(
    {
      id: '04',
      title: 'The contract can be ended for convenience',
      condition: 'Agree a right to end the contract for convenience',
    },
    'termination for convenience',
    ({ contract }) => contract?.termination_for_convenience,
  ),
];
