/** Hides how findings about one case are collected: what was held against the file, and what did not hold. */

/** `passed` needs at least one thing that was judged; `skipped` is a case that says nothing windrow can be held to. */
export type Verdict = {
  readonly outcome: 'passed' | 'failed' | 'skipped'
  readonly failures: readonly string[]
  readonly remarks: readonly string[]
}

/** Collects findings; each `hold` that is false becomes a failure with its sentence. */
export type Judgement = {
  hold(isSo: boolean, otherwise: string): void
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
    hold(isSo, otherwise) {
      judged += 1
      if (!isSo) failures.push(otherwise)
    },
    remark: (sentence) => void remarks.push(sentence),
    verdict: () => ({
      outcome: failures.length > 0 ? 'failed' : judged === 0 ? 'skipped' : 'passed',
      failures,
      remarks: judged === 0 ? [...remarks, 'The case says nothing that can be judged.'] : remarks,
    }),
  }
}

/** What a judge found wrong, without adding it to a case: for outcomes of which any one will do. */
export function failuresOf(judge: (judgement: Judgement) => void): readonly string[] {
  const judgement = startJudgement()
  judge(judgement)
  return judgement.failures
}
