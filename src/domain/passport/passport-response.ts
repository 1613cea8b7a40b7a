import { z } from 'zod';

/** A passport in a server response, as parsed by a client. */
export const PassportResponse = z.looseObject({
  name: z.string(),
  agent_id: z.string(),
  erc8004: z.looseObject({ id: z.string(), agent_uri: z.string() }),
  operator_id: z.string(),
  agent_class: z.string(),
  wallet: z.string().nullable(),
  owner: z.string(),
  custody: z.string(),
  registered_at: z.string(),
  registration_tx: z.string(),
  status: z.string(),
  revoked: z.looseObject({ at: z.string(), reason: z.string() }).nullable(),
});
/** A passport in a server response. */
export type PassportResponse = z.infer<typeof PassportResponse>;
