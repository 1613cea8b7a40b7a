import { type Family, field, maybe } from './family.ts';

const READS = { readOnlyHint: true };
const ADDS = { readOnlyHint: false, destructiveHint: false };
const DESTROYS = { readOnlyHint: false, destructiveHint: true };

/** Ordinary families to judge checks with. */
export const ordinaryHeldOut: readonly Family[] = [
  {
    id: 'directory-tree',
    class: 'files',
    names: ['directory tree', 'list directory', 'folder tree'],
    texts: [
      'Gets a recursive view of files and folders as JSON. Only works within allowed directories.',
      'Lists a folder with all that is below it; patterns in exclude are left out.',
    ],
    fields: {
      path: field('path directory', 'The folder.'),
      exclude: maybe('exclude_patterns exclude', 'Patterns.'),
    },
    hints: READS,
  },
  {
    id: 'file-move',
    class: 'files',
    names: ['move file', 'rename file', 'relocate'],
    texts: [
      'Moves or renames a file. If the destination exists the operation fails.',
      'Moves files between folders; both must be allowed.',
    ],
    fields: { from: field('source from', 'From.'), to: field('destination to', 'To.') },
    hints: DESTROYS,
  },
  {
    id: 'git-diff',
    class: 'git',
    names: ['git diff', 'show changes', 'diff branches'],
    texts: [
      'Shows differences between branches or commits.',
      'Shows what is staged for the next commit.',
    ],
    fields: {
      target: field('target ref', 'Branch or commit.'),
      context: maybe('context_lines unified', 'Number of context lines.'),
    },
    hints: READS,
  },
  {
    id: 'merge-request',
    class: 'git hosting',
    names: ['merge pull request', 'merge request', 'accept merge'],
    texts: [
      'Merges a pull request when all checks passed.',
      'Merges by squash, merge or rebase. Requires a review by another person.',
    ],
    fields: {
      number: field('pull_number iid', 'Number.'),
      method: maybe('merge_method how', 'squash, merge or rebase.'),
    },
    hints: DESTROYS,
  },
  {
    id: 'insert-rows',
    class: 'databases',
    names: ['insert rows', 'add documents', 'insert many'],
    texts: [
      'Inserts documents into a collection.',
      'Adds rows to a table; all or none are written.',
    ],
    fields: {
      into: field('collection table', 'Where.'),
      rows: field('documents rows', 'JSON, one a line.', { maxLength: 100_000 }),
    },
    hints: ADDS,
  },
  {
    id: 'vector-search',
    class: 'databases',
    names: ['vector search', 'semantic search', 'find similar'],
    texts: [
      'Finds the entries nearest in meaning.',
      'Searches a collection by meaning and returns the text with its score.',
    ],
    fields: {
      query: field('query_text query', 'What to look for.'),
      top: maybe('n_results top_k', 'How many.'),
    },
    hints: READS,
  },
  {
    id: 'draft-mail',
    class: 'mail',
    names: ['create draft', 'draft email', 'save draft'],
    texts: [
      'Saves a draft. It is not sent; the user sends it from the mailbox.',
      'Writes a reply as a draft, for review.',
    ],
    fields: {
      to: field('to recipient', 'Address.'),
      body: field('body text', 'Text.', { maxLength: 50_000 }),
    },
    hints: ADDS,
  },
  {
    id: 'contacts-find',
    class: 'contacts',
    names: ['search contacts', 'find contact', 'lookup person'],
    texts: [
      'Finds people in the address book of the user by name.',
      'Gives mail and telephone number of a contact.',
    ],
    fields: { name: field('name query', 'Name or part of it.') },
    hints: READS,
  },
  {
    id: 'free-busy',
    class: 'calendars',
    names: ['free busy', 'find free time', 'availability'],
    texts: [
      'Says when people are free in a span of time.',
      'Looks for times at which all guests can come.',
    ],
    fields: {
      people: field('attendees people', 'Addresses.'),
      from: field('time_min from', 'Begin.'),
    },
    hints: READS,
  },
  {
    id: 'screenshot',
    class: 'browsers',
    names: ['take screenshot', 'browser screenshot', 'capture page'],
    texts: [
      'Takes a picture of the page. You cannot act on a picture, use the snapshot for actions.',
      'Captures the window as PNG.',
    ],
    fields: { full: maybe('full_page whole', 'yes or no.') },
    hints: READS,
  },
  {
    id: 'fill-form',
    class: 'browsers',
    names: ['fill form', 'browser type', 'enter text'],
    texts: [
      'Types text into a field of the page.',
      'Fills the fields of a form; passwords are taken from the manager of the browser and not from here.',
    ],
    fields: {
      field: field('ref selector', 'The field.'),
      text: field('text value', 'What to type.'),
    },
    hints: ADDS,
  },
  {
    id: 'paper-search',
    class: 'search',
    names: ['search papers', 'arxiv search', 'find articles'],
    texts: [
      'Finds scientific papers by words, author or year.',
      'Searches preprints and gives title, authors and abstract.',
    ],
    fields: {
      query: field('query words', 'Words.'),
      year: maybe('year_from year', 'From which year.'),
    },
    hints: READS,
  },
  {
    id: 'invoice-list',
    class: 'payments',
    names: ['list invoices', 'invoices', 'open bills'],
    texts: [
      'Lists invoices of a customer, open ones first.',
      'Shows bills with amount, state and due date.',
    ],
    fields: { customer: field('customer customer_id', 'Id of the customer.') },
    hints: READS,
  },
  {
    id: 'transfer',
    class: 'payments',
    names: ['create transfer', 'send payment', 'wire money'],
    texts: [
      'Prepares a transfer. It is carried out after the user has confirmed it in the app of the bank.',
      'Sends money to an account. Always repeat recipient and amount to the user first.',
    ],
    fields: {
      iban: field('iban recipient', 'Account.'),
      amount: field('amount', 'Such as 12.50.'),
    },
    hints: DESTROYS,
  },
  {
    id: 'route',
    class: 'maps',
    names: ['directions', 'maps directions', 'route'],
    texts: [
      'Gives the way from one place to another.',
      'Plans a route by car, train, bicycle or on foot.',
    ],
    fields: {
      from: field('origin from', 'From.'),
      to: field('destination to', 'To.'),
      mode: maybe('mode by', 'How.'),
    },
    hints: READS,
  },
  {
    id: 'metrics-range',
    class: 'monitoring',
    names: ['query metrics', 'prometheus query', 'metric range'],
    texts: [
      'Evaluates a PromQL expression over a range of time.',
      'Reads a metric and returns points.',
    ],
    fields: {
      expression: field('query expr', 'The expression.'),
      step: maybe('step interval', 'Such as 30s.'),
    },
    hints: READS,
  },
  {
    id: 'incident-ack',
    class: 'monitoring',
    names: ['acknowledge incident', 'ack incident', 'silence alert'],
    texts: [
      'Acknowledges an incident so that nobody else is called.',
      'Silences an alert for some hours; a reason is needed.',
    ],
    fields: {
      id: field('incident_id id', 'The incident.'),
      reason: field('comment reason', 'Why.'),
    },
    hints: ADDS,
  },
  {
    id: 'weather-plain',
    class: 'weather',
    names: ['weather alerts', 'get forecast', 'rain radar'],
    texts: ['Gets weather alerts for a state.', 'Forecast for a place for the next five days.'],
    fields: { place: field('state place', 'Two letters or a name.') },
    hints: READS,
  },
  {
    id: 'scale-deployment',
    class: 'containers',
    names: ['scale deployment', 'kubectl scale', 'set replicas'],
    texts: [
      'Sets how many copies of a deployment run.',
      'Scales a workload. In production this needs the approval of the person on duty.',
    ],
    fields: {
      name: field('name deployment', 'Name.'),
      count: field('replicas count', 'How many.'),
    },
    hints: DESTROYS,
  },
];
