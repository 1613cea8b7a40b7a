/** The part of nodemailer that is used here; the package has no types. */
declare module 'nodemailer' {
  /** A client that opens one connection to a server per mail. */
  export interface Transport {
    sendMail(mail: {
      readonly from: string;
      readonly to: string;
      readonly subject: string;
      readonly text: string;
      readonly messageId: string;
      readonly disableFileAccess: true;
      readonly disableUrlAccess: true;
    }): Promise<{ readonly response: string; readonly rejected: readonly string[] }>;
    close(): void;
  }

  /** Creates the client of a server. */
  export function createTransport(options: {
    readonly host: string;
    readonly port: number;
    readonly secure: boolean;
    readonly requireTLS: boolean;
    /** Opens the connection instead of the package. */
    getSocket(
      options: unknown,
      give: (
        fault: Error | null,
        opened?: { readonly connection: import('node:net').Socket },
      ) => void,
    ): void;
    readonly maxResponseSize: number;
    readonly auth?: { readonly user: string; readonly pass: string };
    readonly connectionTimeout: number;
    readonly greetingTimeout: number;
    readonly socketTimeout: number;
  }): Transport;
}
