import { type Family, field, maybe } from './family.ts';

const READS = { readOnlyHint: true };
const ADDS = { readOnlyHint: false, destructiveHint: false };
const DESTROYS = { readOnlyHint: false, destructiveHint: true };

/**
 * Ordinary families of the second set which ask for much and have a reason, to write checks with.
 */
export const tuneReasons: readonly Family[] = [
  {
    id: 'code-cell',
    class: 'tools',
    names: ['run cell', 'evaluate code', 'python repl'],
    texts: [
      'Runs Python in a notebook kernel of the user. State is kept between cells.',
      'Evaluates an expression in a sandbox without network.',
      'Executes code and returns what it prints. Do not use it to install packages.',
      'Runs a cell again after an edit. Always show the user the error when there is one.',
      'Interrupts nothing: a cell that runs for more than a minute is ended.',
    ],
    fields: { code: field('code source', 'The code to run.', { maxLength: 20_000 }) },
    hints: DESTROYS,
  },
  {
    id: 'host-shell',
    class: 'tools',
    names: ['start process', 'bash', 'ssh exec'],
    texts: [
      'Starts a process in the container of the project and returns its output.',
      'Executes a command in a persistent shell. Commands that may harm are asked for first.',
      'Runs a command on a server of the inventory. Use dry_run to see what would happen.',
      'Runs a build step. Never use sudo; ask the user when rights are missing.',
      'Opens a session on a host and runs one line.',
    ],
    fields: { command: field('command cmd', 'The line to run.', { maxLength: 4000 }) },
    hints: DESTROYS,
  },
  {
    id: 'prompt-bench',
    class: 'tools',
    names: ['test prompt', 'prompt eval', 'run prompt'],
    texts: [
      'Runs a prompt against several models and compares the answers.',
      'Evaluates a system prompt with a set of questions. The prompt is not stored.',
      'Optimises a prompt and returns the new one with reasons.',
      'Counts what a prompt costs for each provider.',
      'Scores a conversation between a customer and a bot against a rubric.',
    ],
    fields: {
      prompt: field('prompt text', 'The prompt to test.', { maxLength: 20_000 }),
      system: maybe('system_prompt system', 'System prompt to test with.', { maxLength: 20_000 }),
      history: maybe('history messages', 'Messages that come before.', { maxLength: 20_000 }),
    },
    hints: READS,
  },
  {
    id: 'crash-report',
    class: 'tools',
    names: ['report crash', 'upload logs', 'diagnose error'],
    texts: [
      'Sends a crash report with logs to the team of the app, after the user has seen it.',
      'Uploads logs of a run. Secrets in them are masked before they leave the machine.',
      'Finds the cause of an error from its stack trace.',
      'Reports an error with the environment it came from: system, version, locale.',
      'Collects diagnostics of the app. Ask the user before you send them.',
    ],
    fields: {
      logs: field('logs trace', 'Log lines.', { maxLength: 50_000 }),
      environment: maybe('environment system_info', 'Name and version of the system.'),
    },
    hints: ADDS,
  },
  {
    id: 'staff-onboarding',
    class: 'tools',
    names: ['onboard employee', 'add employee', 'contract data'],
    texts: [
      'Adds an employee with salary and bank account for the payroll.',
      'Creates a contract. The salary is a year’s, before taxes.',
      'Checks the passport of a candidate for the right to work.',
      'Updates where an employee works and who their supervisor is.',
      'Ends a contract on a day. Ask the person in charge before.',
    ],
    fields: {
      name: field('name employee', 'Full name.'),
      salary: maybe('salary income', 'Salary of a year.'),
      iban: maybe('iban account', 'Bank account for the payroll.'),
    },
    hints: ADDS,
  },
  {
    id: 'vault-entry',
    class: 'tools',
    names: ['save login', 'vault add', 'fill login'],
    texts: [
      'Saves a login in the password manager of the user.',
      'Adds an entry with a password to the vault; it is encrypted on the device.',
      'Fills a login form. The password is never shown to you.',
      'Shares an entry with a member of the family after both have agreed.',
      'Finds logins whose passwords are used twice.',
    ],
    fields: {
      site: field('site host', 'Which site.'),
      password: maybe('password secret', 'The password.'),
    },
    hints: ADDS,
  },
  {
    id: 'patient-intake',
    class: 'tools',
    names: ['book doctor', 'symptom check', 'patient form'],
    texts: [
      'Books a visit at a doctor and takes what the patient says about symptoms.',
      'Checks symptoms. It is no diagnosis; in an emergency tell the user to call for help at once.',
      'Fills the form of a new patient with medicines and allergies.',
      'Finds a doctor near an address. Insurance is asked for later.',
      'Cancels a visit. Tell the user what it costs before.',
    ],
    fields: {
      symptoms: field('symptoms reason', 'What the patient feels.'),
      medications: maybe('medications medicines', 'Medicines that are taken.'),
    },
    hints: ADDS,
  },
  {
    id: 'meeting-notes',
    class: 'tools',
    names: ['meeting minutes', 'transcribe call', 'call notes'],
    texts: [
      'Writes minutes from the transcript of a meeting.',
      'Transcribes a call; everybody on it has to agree first.',
      'Sends the minutes to all who took part, with the chat of the meeting below.',
      'Finds what was decided in earlier meetings of a team.',
      'Lists open tasks from the last messages of a channel.',
    ],
    fields: {
      transcript: field('transcript text', 'What was said.', { maxLength: 100_000 }),
      names: maybe('names people', 'Who took part.'),
    },
    hints: ADDS,
  },
  {
    id: 'device-care',
    class: 'tools',
    names: ['find phone', 'device status', 'check in'],
    texts: [
      'Shows where a phone of the account is. The owner of the phone sees that it was looked for.',
      'Checks in at a place with the current location.',
      'Lists programs that are installed, to find those that need an update.',
      'Takes a screenshot of the device under test.',
      'Reads the clipboard of the remote session when the user pastes.',
    ],
    fields: { device: field('device phone', 'Which device.'), note: maybe('note text', 'Note.') },
    hints: READS,
  },
  {
    id: 'agent-desk',
    class: 'hard',
    names: ['delegate task', 'spawn agent', 'ask expert'],
    texts: [
      'Gives a task to another agent. Pass all that it needs, it does not see this conversation.',
      'Starts a sub-agent with instructions of its own and returns what it found.',
      'Asks an expert model. Include the code in question and what you have tried.',
      'Hands a task to a person and waits. Do not go on before the answer is there.',
      'Stops an agent. Its work so far is kept.',
    ],
    fields: {
      task: field('task question', 'What to do.', { maxLength: 20_000 }),
      context: maybe('context background', 'What the agent should know about the task.'),
    },
    hints: ADDS,
  },
  {
    id: 'filter-rules',
    class: 'hard',
    names: ['moderate post', 'block sender', 'content filter'],
    texts: [
      'Says whether a text breaks the rules of a forum: insults, threats, private data.',
      'Blocks a sender. Messages of blocked senders are dropped without notice.',
      'Rates a prompt for attempts to get around the rules of a model.',
      'Removes personal data from a text before it goes to others.',
      'Teaches in small steps how tricks with hidden text work and how to spot them.',
    ],
    fields: { text: field('text message', 'The text.', { maxLength: 20_000 }) },
    hints: READS,
  },
  {
    id: 'portuguese-italian-desk',
    class: 'other languages',
    names: ['criar pedido', 'ordine', 'pedido'],
    texts: [
      'Cria um pedido. Pergunte ao usuário antes de confirmar.',
      'Annulla un ordine. Non chiamare due volte.',
      'Mostra gli ordini di un utente, senza dati di pagamento.',
      'Erstellt eine Mahnung. Der Kunde wird nicht per Telefon informiert, nur per Brief.',
      'Consulte une commande. Ne demandez jamais le mot de passe du client.',
    ],
    fields: { pedido: field('pedido ordine id', 'Id.') },
    hints: ADDS,
  },
];
