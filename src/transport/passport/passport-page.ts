import { createHash } from 'node:crypto';
import type { PassportDocument } from '../../domain/passport/document.ts';
import type { HttpReply } from '../http/host.ts';

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;' +
  'color-scheme:light dark}table{border-collapse:collapse;width:100%}' +
  'th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;' +
  'overflow-wrap:anywhere}th{white-space:nowrap;font-weight:600}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Returns whether a caller prefers HTML over JSON. */
export function wantsPage(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  return acceptWeight(accept, 'text/html') > acceptWeight(accept, 'application/json');
}

/** Renders a passport as a page without scripts. */
export function passportPage(passport: PassportDocument): HttpReply {
  const { name, agent_class, reputation, status, delegations } = passport;
  const rows: readonly (readonly [string, string])[] = [
    ['Status', passport.revoked === null ? status : `revoked: ${passport.revoked.reason}`],
    ['Class (stated by the agent)', agent_class],
    ['Agent id', passport.agent_id],
    ['Operator id (stated by the agent)', passport.operator_id],
    ['Wallet', passport.wallet ?? 'none verified'],
    ['Owner', passport.owner],
    ['Custody', passport.custody === 'operator' ? 'kept by this service' : 'kept by its owner'],
    ['Registered', `${passport.registered_at} in ${passport.registration_tx}`],
    ['Registration file', passport.erc8004.agent_uri],
    [
      'Reputation',
      `score ${reputation.score}, badge ${reputation.badge}, from ${reputation.settled_jobs} ` +
        `settled jobs with ${reputation.disputes} disputes`,
    ],
    ['Proofs', String(passport.proofs.count)],
    ...delegations.map(
      (one) =>
        [
          'Delegation',
          `${one.status}: ${one.delegator} to ${one.delegate}, ${one.scope.join(' ')}, ` +
            `until ${one.expires_at}`,
        ] as const,
    ),
    ['Hash', passport.passport_hash],
    ['Signed by', passport.signature.signature.signer],
  ];
  const { description } = passport.registration;
  return page(200, `Passport of ${name}`, [
    `<p>${escapeHtml(typeof description === 'string' ? description : '')}</p>`,
    `<table>${rows.map(tableRow).join('')}</table>`,
    '<p>The agent states its name, class, operator id and description itself. ',
    'Request this URL with ',
    '<code>Accept: application/json</code> for the full record and how to verify it.</p>',
  ]);
}

/** Renders the page for an agent that is not registered. */
export function unregisteredPage(subject: string): HttpReply {
  return page(404, 'Not registered', [
    `<p>${escapeHtml(subject.slice(0, 200))} is not registered here. `,
    'This implies nothing else about it.</p>',
  ]);
}

function page(status: number, title: string, body: readonly string[]): HttpReply {
  const head = `<meta charset="utf-8"><title>${escapeHtml(title)}</title><style>${STYLE}</style>`;
  return {
    status,
    headers: [
      ...['content-type', 'text/html; charset=utf-8', 'cache-control', 'no-store'],
      ...['content-security-policy', POLICY, 'referrer-policy', 'no-referrer'],
      ...['vary', 'accept'],
    ],
    body:
      `<!doctype html><html lang="en"><head>${head}</head>` +
      `<body><h1>${escapeHtml(title)}</h1>${body.join('')}</body></html>`,
  };
}

function tableRow([name, value]: readonly [string, string]): string {
  return `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/** Returns the weight of a media type in an `Accept` header, or 0 if it is not listed. */
function acceptWeight(accept: string, type: string): number {
  for (const part of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    if (name !== type) continue;
    const weight = parameters.find((text) => text.startsWith('q='))?.slice(2);
    return weight === undefined ? 1 : Number(weight) || 0;
  }
  return 0;
}
