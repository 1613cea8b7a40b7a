declare module 'html-encoding-sniffer' {
  /** Tells the encoding of a page as browsers do: byte order mark, transport, meta element. */
  function sniffEncoding(
    bytes: Uint8Array,
    options?: { transportLayerEncodingLabel?: string; defaultEncoding?: string },
  ): string;
  export = sniffEncoding;
}
