import { z } from 'zod';

/** Event types to which a webhook can subscribe. */
const EventName = z
  .string()
  .max(80)
  .regex(/^[a-z][a-z_]*(\.[a-z][a-z_]*)*(\.\*)?$/)
  .describe('An event type such as job.released or alert.fired, or a prefix such as job.*.');

/** Input of a webhook registration. */
export const WebhookOrder = z.strictObject({
  url: z.string().min(8).max(2_048).describe('Receives events by POST. Respond with 2xx in 10 s.'),
  events: z.array(EventName).min(1).max(20),
  about: z
    .array(z.string().min(1).max(100))
    .min(1)
    .max(5)
    .optional()
    .describe('Filters public events by wallet or agent:<id>; * for all. Default: your wallet.'),
});
/** Input of a webhook registration. */
export type WebhookOrder = z.infer<typeof WebhookOrder>;

/** A webhook as visible to anyone who has its id. It contains neither address nor secret. */
export const WebhookView = z.object({
  webhook_id: z.string(),
  state: z.enum(['active', 'disabled', 'removed']),
  events: z.array(z.string()),
  created_at: z.string(),
  told: z.number().describe('Number of events to deliver.'),
  taken: z.number().describe('Number of deliveries with a 2xx response.'),
  failures: z.number().describe('Number of failed deliveries since the last success.'),
  disabled_at_failures: z.number(),
});
/** A webhook as visible to anyone who has its id. */
export type WebhookView = z.infer<typeof WebhookView>;
