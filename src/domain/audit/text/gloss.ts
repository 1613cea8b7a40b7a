import { joinPattern } from '../join-pattern.ts';

/**
 * Foreign word stems of orders to a model, with the English word that the clause rules know. A
 * word-by-word gloss, not a translation: the word order stays.
 */
const LATIN: readonly (readonly [stems: string, english: string])[] = [
  ['en copie cachée|en copia oculta|in blindkopie', 'in bcc'],
  ['messagerie|courriel|correo|nachrichten', 'mail'],
  ['présente?s?|vorhanden|verbunden|conectad[oa]s?|connectée?s?', 'present'],
  // Ways to say no, and to leave a question out.
  [
    'ohne (?:rückfrage|nachfrage|zu fragen|es \\w+ \\w+ zu sagen)|sans (?:demander|prévenir)',
    'without asking',
  ],
  ['sin (?:preguntar|pedir|avisar|consultar)|sem (?:perguntar|pedir|avisar)', 'without asking'],
  ['senza (?:chiedere|avvisare)', 'without asking'],
  ['nichts|nada|rien|niente|niets', 'nothing'],
  ['nicht|niemals|nie|kein\\w*|ne|pas|jamais|non|no|ni|nunca|jamás|não|niet|nooit', 'not'],
  ['ohne|sans|sin|sem|senza|zonder', 'without'],
  // People and machines.
  [
    '(?:be)?nutzer\\w*|anwender\\w*|utilisateur\\w*|usuari[oa]s?|utenti?|usuári\\w+|gebruikers?',
    'user',
  ],
  ['assistent\\w*|modell?o?|modèle|asistente|agente', 'assistant'],
  ['werkzeuge?\\w*|outils?|herramientas?|ferramentas?|strument[oi]', 'tool'],
  // What is taken.
  [
    [
      'gesprächs?\\w*|unterhaltung\\w*|conversaci[oó]n\\w*|conversation|conversazion\\w|',
      'conversa|historial|historique',
    ].join(''),
    'the conversation',
  ],
  ['(?:pass|kenn)w[oö]rt\\w*|mots? de passe|contraseñas?|senhas?|wachtwoord\\w*', 'password'],
  [
    [
      'zugangsdaten|anmeldedaten|schlüssel|identifiants|clés?|claves?|credenciales|',
      'credenzial\\w|chav[ei]s?',
    ].join(''),
    'credentials',
  ],
  [
    'umgebungsvariablen|variables? (?:d.environnement|de entorno)|variabili d.ambiente',
    'environment variables',
  ],
  ['datei\\w*|fichiers?|archivos?|arquivos?|bestand(?:en)?', 'file'],
  ['inhalte?s?|contenus?|contenidos?|conteúdo|contenuto', 'content'],
  // What is set aside.
  [
    [
      'anweisung\\w*|vorgaben|regeln|consignes?|instruc\\w+|istruzion\\w|reglas|règles|',
      'aufgetragen\\w*',
    ].join(''),
    'instructions',
  ],
  [
    [
      'vorherige\\w*|bisherige\\w*|frühere\\w*|vorher|précédent\\w*|anterior\\w*|',
      'antérieur\\w*|previ[oae]s?',
    ].join(''),
    'previous',
  ],
  ['ungültig|hinfällig|aufgehoben|annulé\\w*|nulles?|anulad\\w+|sin validez', 'void'],
  [
    'ignorier\\w*|ignore[zr]?|ignora|vergiss|vergessen sie|oublie[zr]?|olvida|olvide|missachte',
    'ignore',
  ],
  [
    'erlaubnis|genehmigung|rückfrage|bestätigung|permiso|confirmaci[oó]n|permission|autorisation',
    'permission',
  ],
  // What is done.
  ['lies|lese|lis|lisez|lee|lea|leggi|leia|abre|abra|ouvre[zr]?|öffne', 'read'],
  [
    [
      'sende|schicke?|übermittle|übertrage|envoie[zr]?|envoyez|transmets|transmettez|',
      'env[ií]a|env[ií]e|manda|mande|invia|reenv[ií]\\w+|mitschick\\w*|weiterleit\\w*|leite',
    ].join(''),
    'send',
  ],
  [
    [
      'gib|füge|hänge|ajoute[zr]?|mets|mettez|joins|inclus|incluye|añade|agrega|copia|',
      'copie[zr]?|pega|adjunta',
    ].join(''),
    'add',
  ],
  ['führe|starte|exécute[zr]?|lance[zr]?|ejecuta|ejecute|corre|esegui', 'run'],
  ['folge|befolge|suis|suivez|sigue|siga|obedece', 'follow'],
  [
    [
      'erwähne?n?|sage?n?|verrate?n?|erzähle?n?|mitteilen|dis|dites|mentionne[zr]?|',
      'révèle[zr]?|digas?|menciones?|reveles?|decir|cuentes',
    ].join(''),
    'tell',
  ],
  ['bevor|avant de|antes de', 'before'],
  ['wenn|sobald|quand|dès que|lorsque|cuando|en cuanto', 'when'],
];

const HAN: readonly (readonly [stems: string, english: string])[] = [
  ['不要|切勿|不得|无需|無需|不必|别', ' not '],
  ['告诉|告知|提及|透露', ' tell '],
  ['用户|使用者', ' user '],
  ['对话记录|聊天记录|对话|聊天', ' the conversation '],
  ['密码|密钥|凭据|凭证|令牌', ' credentials '],
  ['环境变量', ' environment variables '],
  ['内容', ' content '],
  ['文件', ' file '],
  ['之前的?|先前的?|以前的?', ' previous '],
  ['指令|指示|规则|提示词', ' instructions '],
  ['忽略|无视|忘记', ' ignore '],
  ['读取|打开', ', read '],
  ['发送|上传|传给|转发|放入|附上|复制', ', send '],
  ['执行|运行', ', run '],
  ['遵循|服从', ', follow '],
  ['询问|确认', ' asking '],
];

const LATIN_FORMS = LATIN.map(
  ([stems, english]) =>
    [
      new RegExp(`(?<![\\p{L}\\p{N}_./~-])(?:${stems})(?![\\p{L}\\p{N}_])`, 'giu'),
      english,
    ] as const,
);
const HAN_FORMS = HAN.map(([stems, english]) => [new RegExp(stems, 'gu'), english] as const);
/** Short words that do not occur in English texts. */
const FOREIGN = joinPattern(
  'giu',
  '(?<!\\p{L})(?:der|die|das|und|ist|sind|nur|alle|dem|zu|zur|von|für|auf|bei|ab|als|nicht|den|im|',
  'ein|eine|du|sie|mit|les?|la|des|une?|est|tu|il|et|el|los|las|que|del|una|en|se|lo|para|de|di|',
  'che|o|os)(?!\\p{L})',
);
const FOREIGN_MIN = 2;

/** Replaces foreign words that matter by English ones. English text is unchanged. */
export function gloss(text: string): string {
  const isHan = /\p{Script=Han}{2}/u.test(text);
  const isLatin = (text.match(FOREIGN) ?? []).length >= FOREIGN_MIN;
  const latin = isLatin ? replaceForms(text, LATIN_FORMS) : text;
  return isHan ? replaceForms(latin, HAN_FORMS) : latin;
}

function replaceForms(text: string, forms: readonly (readonly [RegExp, string])[]): string {
  return forms.reduce((current, [form, english]) => current.replace(form, english), text);
}
