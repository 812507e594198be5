/** Finds a file in a store that speaks S3, signs the requests for it, and explains what the store refuses. */

import { createHash } from 'node:crypto'
import type { Environment } from '../environment.ts'
import { WindrowError, type ErrorCode } from '../error.ts'
import { readVariable } from './secret-text.ts'
import { beginningOf } from './source.ts'
import type { S3Place } from './web-address.ts'
import type { Credentials, WebAddress, WebAnswer } from './web-request.ts'

/** `isSet` is true if the operator set the address of the store, which may then be in a private network. */
export type S3Address = WebAddress & { readonly isSet: boolean }

/**
 * The address of a file in a store; `unusable` is the code of the failures that waiting does not cure. Throws a WindrowError if there
 * is no access key.
 */
export async function s3Address(
  place: S3Place,
  { env, clock }: { readonly env: Environment; readonly clock: () => Date },
  unusable: ErrorCode = 'file-unreadable',
): Promise<S3Address> {
  const [accessKeyId, secretAccessKey, sessionToken] = await Promise.all([
    readVariable(env, 'AWS_ACCESS_KEY_ID'),
    readVariable(env, 'AWS_SECRET_ACCESS_KEY'),
    readVariable(env, 'AWS_SESSION_TOKEN'),
  ])
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new WindrowError('option-invalid', `There is no access key for ${shownPlace(place)}.`, {
      hint: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, each also possible as ..._FILE with the name of a file that contains the value.',
    })
  const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || 'us-east-1'
  const endpoint = env['AWS_ENDPOINT_URL'] || undefined
  const url = objectUrl(place, region, endpoint)
  const keys = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) }
  const credentials: Credentials = async ({ method = 'GET', url: asked, headers, body }) => {
    const { AwsV4Signer } = await import('aws4fetch')
    const digest = createHash('sha256')
      .update(body ?? '')
      .digest('hex')
    // Only what must be signed: some stores lie behind proxies that change other headers, such as Accept-Encoding.
    const signed = Object.entries(headers ?? {}).filter(([name]) => name.startsWith('x-amz-'))
    const signer = new AwsV4Signer({
      ...keys,
      method,
      url: asked.href,
      headers: { ...Object.fromEntries(signed), 'x-amz-content-sha256': digest },
      service: 's3',
      region,
      datetime: clock()
        .toISOString()
        .replace(/[-:]|\.\d+/g, ''),
    })
    return Object.fromEntries((await signer.sign()).headers)
  }
  const explain = (answer: WebAnswer): Promise<WindrowError> => s3Failure(answer, place, unusable)
  return { url, credentials, isSet: endpoint !== undefined, explain }
}

/** AWS has the bucket in the host's name, except where a dot in it would not fit the certificate; others have it in the path. */
function objectUrl({ bucket, key }: S3Place, region: string, endpoint: string | undefined): URL {
  const path = key.split('/').map(encoded).join('/')
  if (endpoint === undefined) {
    const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
    return new URL(bucket.includes('.') ? `https://${host}/${bucket}/${path}` : `https://${bucket}.${host}/${path}`)
  }
  if (/^https?:\/\/[^@?#]+$/i.test(endpoint) && URL.canParse(endpoint))
    return new URL(`${endpoint.replace(/\/+$/, '')}/${bucket}/${path}`)
  throw new WindrowError('option-invalid', 'AWS_ENDPOINT_URL is not the address of a store.', {
    hint: 'It looks like https://minio.example or http://minio:9000.',
  })
}

function encoded(step: string): string {
  return encodeURIComponent(step).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** A file in a store, for messages. */
export function shownPlace({ bucket, key }: S3Place): string {
  return `s3://${bucket}/${key}`
}

const mostReasonBytes = 64 << 10

/** The text of a short answer. */
export async function textOf(answer: WebAnswer): Promise<string> {
  const bytes = await beginningOf(answer.chunks(), mostReasonBytes)
  answer.letGo()
  return new TextDecoder().decode(bytes)
}

/** Explains an answer that brings no file, or takes none. The store's own sentences may repeat what was signed; only its words are used. */
async function s3Failure(answer: WebAnswer, place: S3Place, unusable: ErrorCode): Promise<WindrowError> {
  const { status, headers } = answer
  const text = await textOf(answer).catch(() => '')
  const reason = /<Code>(\w{1,80})<\/Code>/.exec(text)?.[1]
  const region = headers['x-amz-bucket-region'] ?? /<Region>([\w-]{1,40})<\/Region>/.exec(text)?.[1]
  const shown = `"${shownPlace(place)}"`
  const said = reason === undefined ? `${status}` : `${status}, ${reason}`
  const failure = (code: ErrorCode, message: string, hint: string): WindrowError =>
    new WindrowError(code, message, { hint })
  const refusal = (message: string, hint: string): WindrowError => failure(unusable, message, hint)
  if (reason === 'NoSuchBucket')
    return refusal(`There is no bucket "${place.bucket}" (${said}).`, 'Check the address and AWS_ENDPOINT_URL.')
  if (status === 404 && reason !== 'NoSuchUpload')
    return failure('file-missing', `There is no file at ${shown} (${said}).`, 'Check the address.')
  if (reason === 'RequestTimeTooSkewed')
    return refusal(`The store refuses ${shown}: the clock of this machine is wrong (${said}).`, 'Set the clock.')
  if (
    /^(?:InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken|TokenRefreshRequired)$/.test(reason ?? '')
  )
    return refusal(
      `The store does not accept the access key for ${shown} (${said}).`,
      'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; a temporary key may have expired.',
    )
  if (typeof region === 'string' && [301, 307, 400].includes(status))
    return refusal(`The bucket "${place.bucket}" is in the region ${region} (${said}).`, `Set AWS_REGION=${region}.`)
  if (status === 401 || status === 403)
    return refusal(
      `The store refuses ${shown} to this access key (${said}).`,
      'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. The key needs the right to read the file, to write it where it is an export, and to list the bucket: without that, a missing file looks like a forbidden one.',
    )
  if (status === 429 || status >= 500)
    return failure('address-unreachable', `The store of ${shown} reports an error (${said}).`, 'Run it again later.')
  return new WindrowError(unusable, `The store of ${shown} refuses the request (${said}).`)
}
