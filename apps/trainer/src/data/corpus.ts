/** One text of the corpus. */
export interface SourceDocument {
  /** A name that a person finds it by: package and file, or file and line. */
  readonly name: string;
  readonly text: string;
}

/** Texts with what is worth saying about them. */
export interface Corpus {
  readonly documents: readonly SourceDocument[];
  /** Lines for the reader: packages with licences, files left out and why. */
  readonly notes: readonly string[];
}
