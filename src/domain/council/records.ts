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
  name: Name,
  kind: z.enum(['one_off', 'recurring']),
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
  name: Name,
  amount_usd: Dollars.describe('Amount per year.'),
  from_year: Year.default(1),
  to_year: Year.optional(),
});
/** A parsed {@link SavingLine}. */
export type SavingLine = z.infer<typeof SavingLine>;

const Money = z.strictObject({
  term_years: Year.default(3).describe('Term in years for all amounts.'),
  prices: z.array(PriceLine).max(LINES_MAX).default([]),
  savings: z.array(SavingLine).max(LINES_MAX).default([]),
  discount_rate_pct: Percent.optional().describe('Percent per year. Year 1 is not discounted.'),
  budget_usd: Dollars.optional().describe('Budget approved for the whole term.'),
  budget_committed_usd: Dollars.optional().describe(
    'Part of the budget already spent or committed.',
  ),
});

/** Numbers as stated in the brief; they are checked against its lines. */
export const StatedFigures = z.strictObject({
  tco_usd: Dollars.optional(),
  tco_discounted_usd: Dollars.optional(),
  payback_months: Count.optional(),
  budget_left_usd: z
    .string()
    .regex(/^-?\d{1,12}(?:\.\d{1,6})?$/, 'dollars such as "-1200.50"')
    .optional(),
});

/** Structured facts of a brief. Missing members are gaps and never count in favour. */
export const CouncilFacts = z.strictObject({
  money: Money.optional(),
  stated: StatedFigures.optional(),
  security: z
    .strictObject({
      personal_data: z.boolean().describe('Whether the service handles personal data.'),
      mfa: z.boolean().describe('Multi-factor sign-in for all users.'),
      pii_encrypted_at_rest: z.boolean(),
      encrypted_in_transit: z.boolean(),
      single_sign_on: z.boolean(),
      pentest_months_ago: Count,
      incidents_24_months: Count,
      certifications: z.array(Name).max(20),
    })
    .partial()
    .optional(),
  data: z
    .strictObject({
      dpa_signed: z.boolean().describe('Whether a data processing agreement is signed.'),
      subprocessors_listed: z.boolean(),
      residency: Name,
      residency_required: Name,
      export_open_format: z.boolean(),
      deletion_days: Count.describe('Days until deletion after the contract ends.'),
    })
    .partial()
    .optional(),
  service: z
    .strictObject({
      uptime_pct: Percent,
      support: z.enum(['business_hours', 'extended', 'around_the_clock']),
      rto_hours: Count,
      rpo_hours: Count,
      credits: z.boolean().describe('Credits if the service level is missed.'),
    })
    .partial()
    .optional(),
  contract: z
    .strictObject({
      term_months: Count,
      notice_days: Count,
      auto_renewal: z.boolean(),
      price_increase_cap_pct: Percent,
      termination_for_convenience: z.boolean(),
      liability_cap_usd: Dollars,
      audit_right: z.boolean(),
      quotes_compared: Count,
      governing_law_accepted: z.boolean(),
    })
    .partial()
    .optional(),
  fit: z
    .strictObject({
      strategy_aligned: z.boolean(),
      replaces_systems: Count,
      documented_api: z.boolean(),
      migration_weeks: Count,
      pilot_done: z.boolean(),
      pilot_satisfaction_pct: Percent,
      training_hours_per_user: Count,
      accessible: z.boolean().describe('WCAG 2.2 AA or better.'),
      audit_log_export: z.boolean(),
    })
    .partial()
    .optional(),
  vendor: z
    .strictObject({
      years_trading: Count,
      customers_of_this_size: Count,
      financials_reviewed: z.boolean(),
      exit_plan: z.boolean(),
      substitute_named: z.boolean(),
      esg_report: z.boolean(),
      supplier_code_signed: z.boolean(),
      carbon_disclosed: z.boolean(),
      soc_report: z.boolean(),
    })
    .partial()
    .optional(),
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
