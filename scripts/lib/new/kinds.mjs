// What `npm run new` can write. A new kind is its file and a line here.
import { command } from './command.mjs';
import { control } from './control.mjs';
import { error } from './error.mjs';
import { event } from './event.mjs';
import { family } from './family.mjs';
import { NewError, requireForm } from './names.mjs';
import { page } from './page.mjs';
import { panel } from './panel.mjs';
import { Plan } from './plan.mjs';
import { probe } from './probe.mjs';
import { proof } from './proof.mjs';
import { state } from './state.mjs';
import { tool } from './tool.mjs';
import { upstream } from './upstream.mjs';
import { venue } from './venue.mjs';

/** All kinds of new things, in the order of the usage. */
export const KINDS = [
  ...[tool, panel, venue, proof, event, state, family],
  ...[error, command, page, control, upstream, probe],
];

/**
 * Plans a new thing in a checkout. Nothing is written yet.
 *
 * @throws {NewError} `KIND_UNKNOWN`, `NAME_INVALID`, `NAME_TAKEN`, `PLACE_UNKNOWN`
 */
export function planNew(root, what, name) {
  const kind = KINDS.find((one) => one.what === what);
  if (kind === undefined) {
    const allowed = KINDS.map((one) => one.what).join(', ');
    throw new NewError('KIND_UNKNOWN', `\`${what}\` is unknown. Allowed: ${allowed}.`);
  }
  requireForm(kind, name);
  const plan = new Plan(root);
  kind.plan(plan, name);
  return plan;
}
