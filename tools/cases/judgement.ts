/** Collects the failures and remarks about one case. */

/** `passed` needs at least one check; `skipped` is a case without anything to check. */
export type Verdict = {
  readonly outcome: 'passed' | 'failed' | 'skipped'
  readonly failures: readonly string[]
  readonly remarks: readonly string[]
}

/** Collects findings; each `check` that is false becomes a failure with its sentence. */
export type Judgement = {
  check(isSo: boolean, otherwise: string): void
  remark(sentence: string): void
  readonly failures: readonly string[]
  verdict(): Verdict
}

/** Starts with nothing judged. */
export function startJudgement(): Judgement {
  const failures: string[] = []
  const remarks: string[] = []
  let judged = 0
  return {
    failures,
    check(isSo, otherwise) {
      judged += 1
      if (!isSo) failures.push(otherwise)
    },
    remark: (sentence) => void remarks.push(sentence),
    verdict: () => ({
      outcome: failures.length > 0 ? 'failed' : judged === 0 ? 'skipped' : 'passed',
      failures,
      remarks: judged === 0 ? [...remarks, 'The case has nothing that can be checked.'] : remarks,
    }),
  }
}

/** The failures of a judge without adding them to a case: for outcomes of which any one is enough. */
export function failuresOf(judge: (judgement: Judgement) => void): readonly string[] {
  const judgement = startJudgement()
  judge(judgement)
  return judgement.failures
}
