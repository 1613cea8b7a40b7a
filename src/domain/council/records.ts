import { z } from 'zod';

/** Dollars as a decimal text with at most six decimal places. */
export const Dollars = z.string().regex(/^\d{1,12}(?:\.\d{1,6})?$/, 'dollars such as "1200.50"');
/** Percent as a decimal text with at most two decimal places. */
export const Percent = z.string().regex(/^\d{1,3}(?:\.\d{1,2})?$/, 'percent such as "7.5"');
/** Maximum term of a purchase, in years. */
export const YEARS_MAX = 10;
/** Maximum number of price lines, and of saving lines. */
export const LINES_MAX = 40;

const Year = z.int().min(1).max(YEARS_MAX);
const Name = z.string().trim().min(1).max(200);
const Count = z.int().min(0).max(1_000_000_000);

/** One price line: paid once in its year, or in each year of its range. */
export const PriceLine = z.strictObject({
  name: Name.describe('Name.'),
  kind: z.enum(['one_off', 'recurring']).describe('Paid once or each year.'),
  amount_usd: Dollars.describe('Total for one_off; per year for recurring.'),
  from_year: Year.default(1).describe('Year of a one_off line, or first year of a recurring line.'),
  to_year: Year.optional().describe(
    'Last year of a recurring line. Defaults to the end of the term.',
  ),
});
/** A parsed {@link PriceLine}. */
export type PriceLine = z.infer<typeof PriceLine>;

/** Expected saving or income in each year of a range. */
export const SavingLine = z.strictObject({
  name: Name.describe('Name.'),
  amount_usd: Dollars.describe('Amount per year.'),
  from_year: Year.default(1).describe('First year.'),
  to_year: Year.optional().describe('Last year.'),
});
/** A parsed {@link SavingLine}. */
export type SavingLine = z.infer<typeof SavingLine>;

const Money = z.strictObject({
  term_years: Year.default(3).describe('Term in years for all amounts.'),
  prices: z.array(PriceLine).max(LINES_MAX).default([]).describe('Prices.'),
  savings: z.array(SavingLine).max(LINES_MAX).default([]).describe('Expected savings or income.'),
  discount_rate_pct: Percent.optional().describe('Percent per year. Year 1 is not discounted.'),
  budget_usd: Dollars.optional().describe('Budget approved for the whole term.'),
  budget_committed_usd: Dollars.optional().describe(
    'Part of the budget already spent or committed.',
  ),
});

/** Numbers as stated in the brief; they are checked against its lines. */
export const StatedFigures = z.strictObject({
  tco_usd: Dollars.optional().describe('Cost over the term.'),
  tco_discounted_usd: Dollars.optional().describe('Discounted cost over the term.'),
  payback_months: Count.optional().describe('Months until the purchase has paid for itself.'),
  budget_left_usd: z
    .string()
    .regex(/^-?\d{1,12}(?:\.\d{1,6})?$/, 'dollars such as "-1200.50"')
    .optional()
    .describe('Rest of the budget.'),
});

/** Structured facts of a brief. Missing members are gaps and never count in favour. */
export const CouncilFacts = z.strictObject({
  money: Money.optional().describe('Prices, savings and budget.'),
  stated: StatedFigures.optional().describe('Figures to be checked against the prices.'),
  security: z
    .strictObject({
      personal_data: z.boolean().describe('Whether the service handles personal data.'),
      mfa: z.boolean().describe('Multi-factor sign-in for all users.'),
      pii_encrypted_at_rest: z.boolean().describe('Personal data is encrypted at rest.'),
      encrypted_in_transit: z.boolean().describe('All traffic is encrypted.'),
      single_sign_on: z.boolean().describe('Single sign-on is available.'),
      pentest_months_ago: Count.describe('Months since the last penetration test.'),
      incidents_24_months: Count.describe('Security incidents in the last 24 months.'),
      certifications: z.array(Name).max(20).describe('Certifications, such as ISO 27001.'),
    })
    .partial()
    .optional()
    .describe('Security.'),
  data: z
    .strictObject({
      dpa_signed: z.boolean().describe('Whether a data processing agreement is signed.'),
      subprocessors_listed: z.boolean().describe('All subprocessors are named.'),
      residency: Name.describe('Where the data is stored.'),
      residency_required: Name.describe('Where the data must be stored.'),
      export_open_format: z.boolean().describe('Data can be exported in an open format.'),
      deletion_days: Count.describe('Days until deletion after the contract ends.'),
    })
    .partial()
    .optional()
    .describe('Data protection.'),
  service: z
    .strictObject({
      uptime_pct: Percent.describe('Promised uptime, in percent.'),
      support: z
        .enum(['business_hours', 'extended', 'around_the_clock'])
        .describe('Hours of support.'),
      rto_hours: Count.describe('Recovery time objective, in hours.'),
      rpo_hours: Count.describe('Recovery point objective, in hours.'),
      credits: z.boolean().describe('Credits if the service level is missed.'),
    })
    .partial()
    .optional()
    .describe('Service level.'),
  contract: z
    .strictObject({
      term_months: Count.describe('Term of the contract, in months.'),
      notice_days: Count.describe('Notice period, in days.'),
      auto_renewal: z.boolean().describe('The contract renews itself.'),
      price_increase_cap_pct: Percent.describe('Highest price increase per year, in percent.'),
      termination_for_convenience: z.boolean().describe('The buyer may end it without a reason.'),
      liability_cap_usd: Dollars.describe('Cap on liability, in USD.'),
      audit_right: z.boolean().describe('The buyer may audit the seller.'),
      quotes_compared: Count.describe('Number of competing quotes.'),
      governing_law_accepted: z.boolean().describe('The governing law is acceptable.'),
    })
    .partial()
    .optional()
    .describe('Contract.'),
  fit: z
    .strictObject({
      strategy_aligned: z.boolean().describe('The purchase fits the strategy.'),
      replaces_systems: Count.describe('Number of systems that it replaces.'),
      documented_api: z.boolean().describe('Its API is documented.'),
      migration_weeks: Count.describe('Weeks of migration.'),
      pilot_done: z.boolean().describe('A pilot has taken place.'),
      pilot_satisfaction_pct: Percent.describe('Satisfied pilot users, in percent.'),
      training_hours_per_user: Count.describe('Hours of training per user.'),
      accessible: z.boolean().describe('WCAG 2.2 AA or better.'),
      audit_log_export: z.boolean().describe('Audit logs can be exported.'),
    })
    .partial()
    .optional()
    .describe('Fit.'),
  vendor: z
    .strictObject({
      years_trading: Count.describe('Years in business.'),
      customers_of_this_size: Count.describe('Customers of similar size.'),
      financials_reviewed: z.boolean().describe('Its accounts were reviewed.'),
      exit_plan: z.boolean().describe('There is a plan for leaving it.'),
      substitute_named: z.boolean().describe('A substitute is named.'),
      esg_report: z.boolean().describe('It publishes an ESG report.'),
      supplier_code_signed: z.boolean().describe('It signed the supplier code.'),
      carbon_disclosed: z.boolean().describe('It discloses its emissions.'),
      soc_report: z.boolean().describe('A SOC report is available.'),
    })
    .partial()
    .optional()
    .describe('The seller.'),
});
/** A parsed {@link CouncilFacts}. */
export type CouncilFacts = z.infer<typeof CouncilFacts>;

/** The brief that seats receive; stored by hash outside the actor's context. */
export const CouncilBrief = z.object({
  question: z.string(),
  background: z.string().optional(),
  vendor: z.string(),
  product: z.string(),
  options: z.array(z.object({ optionId: z.string(), name: z.string() })),
  evidence: z.array(z.object({ evidenceId: z.string(), text: z.string() })),
  facts: CouncilFacts.optional(),
  /** Start date for due dates of conditions, as YYYY-MM-DD. */
  startsOn: z.string(),
});
/** A parsed {@link CouncilBrief}. */
export type CouncilBrief = z.infer<typeof CouncilBrief>;

/** Option names by id. */
export const COUNCIL_OPTIONS = {
  approve: 'Approve',
  approve_with_conditions: 'Approve with conditions',
  reject: 'Reject',
  defer: 'Defer',
} as const;
/** Id of a council option. */
export type CouncilOptionId = keyof typeof COUNCIL_OPTIONS;
/** Option ids in their order. */
export const COUNCIL_OPTION_IDS = Object.keys(COUNCIL_OPTIONS) as readonly CouncilOptionId[];
