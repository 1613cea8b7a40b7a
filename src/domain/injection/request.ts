import { z } from 'zod';
import { AuditRequest } from '../audit/request.ts';

const { target, target_kind, consent, allow_writes, wait_s } = AuditRequest.shape;

/** Input of an injection test: an active audit restricted to one category. */
export const InjectionRequest = z
  .strictObject({ target, target_kind, consent, allow_writes, wait_s })
  .transform((input) => AuditRequest.parse({ ...input, mode: 'active', categories: ['ASI01'] }));
