/** Manages the webhooks of an organisation, which the service may have switched off. */

import { WindrowError } from '../core/error.ts'
import { decoded } from '../core/sources/web-address.ts'
import { webhookRegistration, type WebhookRegistration } from '../resources/webhook.ts'
import { pathOf } from './address.ts'
import { membersOf, objectsOf, serviceConfused, textOf, type Members } from './reading.ts'
import type { Requester } from './request.ts'

/** A webhook as the service shows it. The interface defines only the id, so other members are kept unchanged. */
export type Webhook = Members & { readonly id: string | undefined; readonly name?: string; readonly uri?: string }

/** Makes the webhook calls of one connection. While webhooks are switched off (501), each throws 'request-refused' with that status. */
export function webhookManagement(requester: Requester) {
  const at = (organisationId: string, ...id: readonly string[]): string =>
    pathOf('ecosystem', 'organisations', organisationId, 'webhooks', ...id)
  return {
    async webhooks(organisationId: string, signal?: AbortSignal): Promise<readonly Webhook[]> {
      const { body } = await requester.ask({ to: at(organisationId), what: 'the list of webhooks', signal })
      // The interface does not define the envelope: a list, or an object around one.
      const list = Array.isArray(body) ? (body as readonly unknown[]) : membersOf(body)?.['items']
      if (Array.isArray(list)) return objectsOf(list).map(webhookOf)
      throw serviceConfused('a list of webhooks')
    },
    async createWebhook(
      organisationId: string,
      registration: WebhookRegistration,
      signal?: AbortSignal,
    ): Promise<Webhook | undefined> {
      await checkRegistration(registration)
      const body = JSON.stringify(registration)
      const what = 'the creation of a webhook'
      const answer = await requester.ask({ to: at(organisationId), what, body, once: true, signal })
      const members = membersOf(answer.body)
      if (members !== undefined) return webhookOf(members)
      const id = textOf(answer.body) ?? idAtEndOf(answer.headers.get('location'))
      return id === undefined ? undefined : { id, name: registration.name, uri: registration.uri }
    },
    async webhook(organisationId: string, webhookId: string, signal?: AbortSignal): Promise<Webhook | undefined> {
      const to = at(organisationId, webhookId)
      const answer = await requester.ask({ to, what: 'the webhook', welcome: 404, signal })
      const members = membersOf(answer.body)
      if (answer.status === 404) return undefined
      if (members !== undefined) return webhookOf(members)
      throw serviceConfused('a webhook')
    },
    async deleteWebhook(organisationId: string, webhookId: string, signal?: AbortSignal): Promise<boolean> {
      const [to, what] = [at(organisationId, webhookId), 'the deletion of the webhook']
      const answer = await requester.ask({ to, what, method: 'DELETE', welcome: 404, signal })
      return answer.status !== 404
    },
  }
}

function webhookOf(members: Members): Webhook {
  return { ...members, id: textOf(members['id']) ?? textOf(members['webhookId']) }
}

function idAtEndOf(location: string | null): string | undefined {
  const last = location
    ?.replace(/[?#].*$/, '')
    .split('/')
    .findLast((part) => part !== '')
  return last === undefined ? undefined : decoded(last)
}

/** Checks a registration before it is sent. Throws 'option-invalid'; no message shows a secret. */
export async function checkRegistration(registration: unknown): Promise<WebhookRegistration> {
  // Loaded on demand: the checker is slow to load, and few commands register anything.
  const { firstError } = await import('../resources/validation.ts')
  const fault = firstError(webhookRegistration, registration)
  if (fault === undefined) return registration as WebhookRegistration
  throw new WindrowError('option-invalid', `The registration cannot be used: ${fault.message}`, {
    hint: fault.hint,
    data: { path: fault.path },
  })
}
