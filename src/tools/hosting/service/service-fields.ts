import { z } from 'zod';
import {
  countEnvChars,
  DATABASE_PROPERTIES,
  ENV_BOUNDS,
} from '../../../domain/hosting/env-vars.ts';
import {
  BranchName,
  Command,
  INPUT_CHARS_MAX,
  InnerPath,
  SERVICE_BOUNDS,
  textSchema,
} from '../../../domain/hosting/input-text.ts';
import { DEFAULT_SERVICE_PLAN, SERVICE_PLANS } from '../../../domain/hosting/plans.ts';
import { keysOf, type RunSpec } from '../../../domain/hosting/records.ts';
import { AUTO_DEPLOY, RUNTIMES } from '../../../domain/hosting/value-sets.ts';
import { idSchema, RegionField, WorkspaceField } from '../inputs.ts';

const NO_IMAGES =
  'nothing: prebuilt images from a registry are unsupported; pass repo, with runtime docker if ' +
  'it has a Dockerfile';

/** Error texts for parameters that other hosts support. */
export const UNSUPPORTED_PARAMETERS: Readonly<Record<string, string>> = {
  image: NO_IMAGES,
  imagePath: NO_IMAGES,
  imageUrl: NO_IMAGES,
  registryCredential: NO_IMAGES,
  registryCredentialId: NO_IMAGES,
  rootDir:
    'nothing: commands run in the root of the repository; start each command with ' +
    '"cd <folder> && ", and make publishPath relative to the root',
};

const Name = textSchema(INPUT_CHARS_MAX.name, 'a name').describe(
  'Name, unique among the services of the workspace.',
);

const Repo = textSchema(SERVICE_BOUNDS.repoChars, 'the address of a Git repository')
  .refine((text) => !text.startsWith('-') && !/^\w+::/.test(text), repoForm())
  .refine((text) => !hasCredentials(text), `${repoForm()}, without a user or a password in it`)
  .optional()
  .describe(
    'Git repository: an https address, or another form that this host allows. If omitted, the ' +
      'service gets an address to push the source to.',
  );

function repoForm(): string {
  return 'the address of a Git repository, such as https://host/owner/name';
}

function hasCredentials(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.test(text);
}

const Branch = BranchName.optional().describe(
  'Branch to deploy. Default: the default branch of the repository.',
);

const KEY_FORM = 'a name of letters, digits and _ that does not start with a digit';

/** Schema of a list of environment variables. */
export const EnvVars = z
  .array(
    z.strictObject({
      key: z
        .string()
        .max(ENV_BOUNDS.keyChars)
        .refine((key) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(key), KEY_FORM)
        .describe('Name of the variable.'),
      value: z
        .string()
        .max(ENV_BOUNDS.valueChars)
        .refine((value) => !value.includes('\0'), 'a text without NUL characters')
        .exactOptional()
        .describe('Value of the variable; or pass fromDatabase.'),
      fromDatabase: z
        .strictObject({
          id: idSchema('a Postgres or a Key Value of the workspace'),
          property: z.enum(DATABASE_PROPERTIES).default('connectionString').describe('Which one.'),
        })
        .exactOptional()
        .describe(
          'Instead of value: a connection property of a database, resolved at each start. It is ' +
            'never returned.',
        ),
    }),
  )
  .max(ENV_BOUNDS.vars)
  .superRefine((vars, context) => {
    const seen = new Set<string>();
    for (const [at, { key, value, fromDatabase }] of vars.entries()) {
      if ((value === undefined) === (fromDatabase === undefined)) {
        const message = 'one of value and fromDatabase';
        context.addIssue({ code: 'custom', path: [at, 'value'], message });
      }
      if (seen.has(key)) {
        context.addIssue({ code: 'custom', path: [at, 'key'], message: 'each key once' });
      }
      seen.add(key);
    }
    if (countEnvChars(vars) > ENV_BOUNDS.totalChars) {
      const message = `at most ${ENV_BOUNDS.totalChars} characters in all`;
      context.addIssue({ code: 'custom', message });
    }
  });

const AutoDeployField = z
  .enum(AUTO_DEPLOY)
  .default('yes')
  .describe('Whether each commit on the branch is deployed automatically.');

/** Parameters of every tool that creates a service. */
export const NewServiceFields = {
  ...WorkspaceField,
  name: Name,
  repo: Repo,
  branch: Branch,
  autoDeploy: AutoDeployField,
  envVars: EnvVars.default([]).describe(
    'Environment variables, each {key, value} or {key, fromDatabase: {id}}, which connects a ' +
      'database. Values are stored encrypted and never returned.',
  ),
} as const;

/** Parameters of services that run a program. */
export const ProgramFields = {
  runtime: z.enum(RUNTIMES).describe('Runtime to build and run with; docker builds a Dockerfile.'),
  buildCommand: Command.optional().describe('Build command. Required unless runtime is docker.'),
  startCommand: Command.optional().describe('Start command. Required unless runtime is docker.'),
  dockerfilePath: InnerPath.optional().meta({
    description: 'Path of the Dockerfile. Only with runtime docker. Default: ./Dockerfile.',
    default: './Dockerfile',
  }),
  dockerContext: InnerPath.optional().meta({
    description: 'Build context. Only with runtime docker. Default: the repository root.',
    default: '.',
  }),
  dockerCommand: Command.optional().describe(
    'Only with runtime docker; omitted or empty means the ENTRYPOINT and CMD of the Dockerfile.',
  ),
  plan: z
    .enum(keysOf(SERVICE_PLANS))
    .default(DEFAULT_SERVICE_PLAN)
    .describe('Plan; it sets the CPU and memory of an instance.'),
  region: RegionField,
} as const;

/** Parameters of static sites. */
export const SiteFields = {
  buildCommand: Command.describe('Build command; "true" if there is nothing to build.').refine(
    (text) => text.trim() !== '',
    'a command; it cannot be empty',
  ),
  publishPath: InnerPath.default('public').describe('Directory of the built files to serve.'),
} as const;

type ProgramInput = z.infer<z.ZodObject<typeof ProgramFields>>;

/** Checks the command and Dockerfile parameters against the runtime. */
export function checkProgram(input: ProgramInput, context: z.RefinementCtx): void {
  const issue = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  const isDocker = input.runtime === 'docker';
  for (const path of ['buildCommand', 'startCommand'] as const) {
    const isSaid = (input[path] ?? '').trim() !== '';
    if (!isDocker && !isSaid) issue(path, 'a command: it is required unless runtime is docker');
    if (isDocker && isSaid) issue(path, 'nothing with runtime docker: the Dockerfile defines it');
  }
  for (const path of ['dockerfilePath', 'dockerContext', 'dockerCommand'] as const) {
    const isSaid = (input[path] ?? '') !== '';
    if (!isDocker && isSaid)
      issue(path, `nothing unless runtime is docker (it is ${input.runtime})`);
  }
}

/** Returns the program of an order, with defaults filled in. */
export function toProgram(input: ProgramInput) {
  const { plan, region } = input;
  return { run: toRunSpec(input), plan, region };
}

function toRunSpec(input: ProgramInput): RunSpec {
  const { runtime } = input;
  if (runtime !== 'docker') {
    const { buildCommand = '', startCommand = '' } = input;
    return { runtime, buildCommand, startCommand };
  }
  const { dockerfilePath = './Dockerfile', dockerContext = '.', dockerCommand = '' } = input;
  return { runtime, dockerfilePath, dockerContext, dockerCommand };
}
