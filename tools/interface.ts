/**
 * Lists each row of sections 4, 5 and 6 of the service's interface document: where windrow serves it, which client function
 * calls it, which command reaches it, and which tests cover it. docs/interface.md is made from this list;
 * test/interface.test.ts compares the list with the code.
 */

/**
 * `route` is what the embedded service answers, or what it sends, in lower-case words. `client` is a function of the client or one
 * beside it. `tests` are files with a part of a title.
 */
export type InterfaceRow = {
  readonly section: string
  readonly row: string
  readonly route: string
  readonly client: string
  readonly command: string
  readonly tests: readonly (readonly [file: string, title: string])[]
}

/** The sections of the document, in its order, each with its rows. */
export const interfaceSections: readonly { readonly title: string; readonly rows: readonly InterfaceRow[] }[] =
  sectionsIn(`
## 4 Headers of every endpoint
X-Requested-Region | GET /data/crops/work-records | connectTo | connect | service/crops: the region that is asked for; client/profile: are saved with it, read from the environment
X-Requesting-ClientID | GET /data/streaming/datasets | connectTo | connect | client/request: has the token and the optional headers; interface: accepts the optional headers
X-Downgrade-Authentication | GET /data/streaming/datasets | connectTo | connect | client/request: has the token and the optional headers; interface: accepts the optional headers

## 4.1 OGC features API
GET /ogc | the same | landingPage | service about | service/ogc-abstract-tests: /ats/core/root-success; client/features: the landing page
GET /ogc/conformance | the same | conformance | service about | service/ogc-abstract-tests: /ats/core/conformance-success; client/features: what it conforms to
GET /ogc/collections | the same | collections | service collections | service/ogc-abstract-tests: /ats/core/fc-md-success; client/features: collections are read from
GET /ogc/collections/holdings | the same | collection | service collections | service/ogc-abstract-tests: /ats/core/sfc-md-op; client/features: a collection
GET /ogc/collections/plots | the same | collection | service collections | service/ogc-abstract-tests: /ats/core/sfc-md-op; client/features: a collection
GET /ogc/collections/land-covers | the same | collection | service collections | service/ogc-abstract-tests: /ats/core/sfc-md-op; client/features: a collection
GET /ogc/collections/holdings/{holdingId}/collections | the same | collections | service collections | service/features: of a holding leads to the collections of that holding; client/features: the collections of a holding
GET /ogc/collections/holdings/{holdingId}/collections/plots | the same | collection | service collections | service/features: a root for one holding; client/features: a collection of a holding
GET /ogc/collections/holdings/{holdingId}/collections/land-covers | the same | collection | service collections | service/features: a root for one holding; client/features: a collection of a holding
GET /ogc/collections/holdings/items | the same | features | export | service/ogc-abstract-tests: /ats/core/fc-response; client/features: follow the next link
GET /ogc/collections/holdings/items/{id} | the same | feature | service record | service/ogc-abstract-tests: /ats/core/f-op; client/features: is read by its id
GET /ogc/collections/plots/items | the same | features | export | service/ogc-abstract-tests: /ats/core/fc-response; client/features: follow the next link
GET /ogc/collections/plots/items/{id} | the same | feature | service record | service/ogc-abstract-tests: /ats/core/f-op; client/features: is read by its id
GET /ogc/collections/land-covers/items | the same | features | export | service/ogc-abstract-tests: /ats/core/fc-response; client/features: follow the next link
GET /ogc/collections/land-covers/items/{id} | the same | feature | service record | service/ogc-abstract-tests: /ats/core/f-op; client/features: is read by its id
GET /ogc/collections/holdings/{holdingId}/collections/plots/items | the same | features | export | service/features: of another holding is not there; client/features: of one holding
GET /ogc/collections/holdings/{holdingId}/collections/plots/items/{id} | the same | feature | service record | service/features: of another holding is not there; client/features: is read by its id
GET /ogc/collections/holdings/{holdingId}/collections/land-covers/items | the same | features | export | service/features: of another holding is not there; client/features: of one holding
GET /ogc/collections/holdings/{holdingId}/collections/land-covers/items/{id} | the same | feature | service record | service/features: of another holding is not there; client/features: is read by its id
limit | GET /ogc/collections/plots/items | features | export | service/ogc-abstract-tests: /ats/core/fc-limit-response; service/features: the limit is ten by default
offset | GET /ogc/collections/plots/items | features | export | service/features: pages by next to the end; client/features: come once, even when pages overlap
bbox | GET /ogc/collections/plots/items | features | export | service/ogc-abstract-tests: /ats/core/fc-bbox-definition; cli/service: within a box

## 4.2 Reference API
GET /reference/birthPeriods | the same | birthPeriods | service reference birth-periods | service/reference: are found by species and country; client/reference: birth periods
GET /reference/treatment/medicine-products | the same | medicineProducts | service reference medicines | service/reference: a filter without a match; client/reference: a + kept
GET /reference/treatment/medicine-products/{identifierScheme}/{identifierId} | the same | medicineProduct | service reference medicines | service/reference: each is found at its own address; client/reference: is found by scheme and id
GET /reference/treatment/medicine-products/{search} | the same | findMedicineProduct | service reference medicines | service/reference: a search without a match is 404; client/reference: and by its name
GET /reference/species | the same | species | service reference species | service/reference: the species are there for anybody; client/reference: species may be %s
GET /reference/breeds | the same | breeds | service reference breeds | service/reference: the breeds of %s are of that species; client/reference: are sifted by %s

## 4.3 Streaming API
GET /data/streaming/control | the same | control | service control | service/streaming: an account without a holding gets 404; client/streaming: lists holdings with absolute addresses
GET /data/streaming/datasets | the same | datasets | service datasets | service/streaming: the addresses of datasets answer; client/streaming: are listed, and read by name
GET /data/streaming/datasets/{dataset} | the same | dataset | service datasets | service/streaming: an unknown dataset is 404; client/streaming: are listed, and read by name
GET /data/streaming/datasets/{dataset}/changes | the same | changes | service changes | service/streaming: pages by token to an empty page; client/streaming: are read to the empty page
POST /data/streaming/datasets/{dataset}/resources | the same | publish | import | service/streaming: results count positions as sent; client/streaming: matches results by index
POST /data/streaming/dataset/{datasetid}/resources | the same | publish | import | service/streaming: the singular path; client/transcripts: %s: publishing
Rule 1: without since, everything | GET /data/streaming/datasets/{dataset}/changes | changes | service changes | interface: gives everything without since; cli/service: shows one line for each
Rule 2: with since, what changed | GET /data/streaming/datasets/{dataset}/changes | changes | service changes | service/streaming: pages by token to an empty page; cli/service: continues from the place in a file
Rule 3: each result counts | POST /data/streaming/datasets/{dataset}/resources | publish | import | service/streaming: results count positions as sent; client/streaming: an item without a result is unsent
Rule 4: control lists holdings and types | GET /data/streaming/control | control | service control | service/streaming: a published holding is connected and listed; cli/service: control shows what may be published
Rule 5: names of datasets and types | GET /data/streaming/datasets | datasets | service datasets | interface: uses the names of datasets and types; cli/service: datasets shows those that windrow does not know
Rule 6: JSON, and a bearer token | POST /data/streaming/datasets/{dataset}/resources | publish | import | service/streaming: a body of another kind; client/transcripts: 05: a token that ran out

## 4.4 Crop data API
GET /data/holdings/{HoldingId}/crops/load-receivals | the same | loadReceivals | export | service/crops: are those of the holding, alone by id; client/crops: a list of crop records
GET /data/holdings/{HoldingId}/crops/load-receivals/{Id} | the same | loadReceival | service record | service/crops: are those of the holding, alone by id; client/crops: one crop record
GET /data/holdings/{holdingId}/crops/pasture-cover-events | the same | pastureCoverEvents | export | service/crops: pasture cover events; client/crops: deleted ones too
GET /data/holdings/{holdingId}/crops/pasture-cover-events/{pastureCoverEventId} | the same | pastureCoverEvent | service record | service/crops: each is there alone on both paths; client/crops: one crop record
GET /data/crops/pasture-cover-events | the same | pastureCoverEvents | export | service/crops: pasture cover events; client/crops: deleted ones too
GET /data/crops/pasture-cover-events/{pastureCoverEventId} | the same | pastureCoverEvent | service record | service/crops: each is there alone on both paths; client/crops: one crop record
GET /data/holdings/{HoldingId}/crops/sample-analyses | the same | sampleAnalyses | export | service/crops: are those of the holding, alone by id; client/crops: a list of crop records
GET /data/holdings/{HoldingId}/crops/sample-analyses/{Id} | the same | sampleAnalysis | service record | service/crops: are those of the holding, alone by id; client/crops: one crop record
GET /data/holdings/{HoldingId}/crops/sample-plans | the same | samplePlans | export | service/crops: are those of the holding, alone by id; client/crops: a list of crop records
GET /data/holdings/{HoldingId}/crops/sample-plans/{Id} | the same | samplePlan | service record | service/crops: are those of the holding, alone by id; client/crops: one crop record
GET /data/crops/work-records | the same | workRecords | export | service/crops: come in pages, with links; client/crops: are read along the links

## 5 Authentication
1. Token request | POST /auth/realms/{realm}/protocol/openid-connect/token | signIn | connect | service/token: signing in; client/token: is the password grant
2. Token response | POST /auth/realms/{realm}/protocol/openid-connect/token | accessToken | service token | service/token: a password gives an access token; client/token: for another program is new
3. Authorization: Bearer | GET /data/streaming/datasets | connectTo | service token | service/token: an access token works until it expires; client/request: has the token
4. Streaming wants a token | GET /data/streaming/datasets | connectTo | service datasets | service/transcripts: 04-call-without-token; client/transcripts: 04: a call without a token is not made
5. Breeds and species want none | GET /reference/breeds | breeds | service reference breeds | service/reference: the species are there for anybody; client/reference: need no sign-in
6. Deliveries carry what was registered | sends events to subscribers | eventReceiver | listen | service/webhooks: ClientCredentials signs in once; client/events: is known by %s

## 6 Events
501 while switched off | GET /ecosystem/organisations/{OrganisationId}/webhooks | webhooks | service webhooks list | service/webhooks: answers 501, with a token and without; client/webhooks: that are switched off are told
GET /ecosystem/organisations/{OrganisationId}/webhooks | the same | webhooks | service webhooks list | service/webhooks: is created, listed, read and deleted; client/webhooks: are listed from %s
POST /ecosystem/organisations/{OrganisationId}/webhooks | the same | createWebhook | service webhooks create | service/webhooks: is created, listed, read and deleted; client/webhooks: are created with authentication %s
GET /ecosystem/organisations/{OrganisationId}/webhooks/{webhookId} | the same | webhook | service webhooks get | service/webhooks: is created, listed, read and deleted; client/webhooks: are got and deleted one by one
DELETE /ecosystem/organisations/{OrganisationId}/webhooks/{webhookId} | the same | deleteWebhook | service webhooks delete | service/webhooks: is created, listed, read and deleted; client/webhooks: are got and deleted one by one
Registration | POST /ecosystem/organisations/{OrganisationId}/webhooks | createWebhook | service webhooks create | service/webhooks: no subscription; client/webhooks: are not created with %s
Subscription | POST /ecosystem/organisations/{OrganisationId}/webhooks | createWebhook | service webhooks create | service/webhooks: only subscribed changes come; client/webhooks: no subscription
Authentication None | sends events to subscribers | eventReceiver | listen | client/events-of-the-service: reach a subscriber that is registered with %s; client/webhooks: are created with authentication %s
Authentication Basic | sends events to subscribers | eventReceiver | listen | client/events-of-the-service: reach a subscriber that is registered with %s; client/webhooks: are created with authentication %s
Authentication ApiToken | sends events to subscribers | eventReceiver | listen | client/events-of-the-service: reach a subscriber that is registered with %s; client/webhooks: are created with authentication %s
Authentication ClientCredentials | sends events to subscribers | eventReceiver | listen | client/events-of-the-service: reach a subscriber that is registered with %s; client/webhooks: are created with authentication %s
Authentication AuthorisationCode | sends events to subscribers | eventReceiver | listen | client/events-of-the-service: reach a subscriber that is registered with %s; client/webhooks: are created with authentication %s
Authentication HttpHeader | sends events to subscribers | eventReceiver | listen | client/events-of-the-service: reach a subscriber that is registered with %s; client/webhooks: are created with authentication %s
Authentication Header | sends events to subscribers | eventReceiver | listen | client/events-of-the-service: reach a subscriber that is registered with %s; client/webhooks: are created with authentication %s
Event: specversion | sends events to subscribers | eventReceiver | listen | service/webhooks: as CloudEvents with the record; client/events: another version
Event: type | sends events to subscribers | eventReceiver | listen | service/webhooks: as CloudEvents with the record; client/events: no type
Event: source | sends events to subscribers | eventReceiver | listen | service/webhooks: as CloudEvents with the record; client/events: no source
Event: id | sends events to subscribers | eventReceiver | listen | service/webhooks: as CloudEvents with the record; client/events: no id
Event: time | sends events to subscribers | eventReceiver | listen | service/webhooks: as CloudEvents with the record; client/events: is known by %s
Event: com<service>resourcetype | sends events to subscribers | eventReceiver | listen | service/webhooks: as CloudEvents with the record; client/events: comexampleresourcetype
Event: com<service>systemeventtype | sends events to subscribers | eventReceiver | listen | service/webhooks: as CloudEvents with the record; client/events: comexamplesystemeventtype
Event: datacontenttype | sends events to subscribers | eventReceiver | listen | service/webhooks: as CloudEvents with the record; client/events: datacontenttype
Event: data | sends events to subscribers | eventReceiver | listen | service/webhooks: as CloudEvents with the record; client/events: is refused: too large
`)

/** Every row, in the order of the document. */
export const interfaceRows: readonly InterfaceRow[] = interfaceSections.flatMap(({ rows }) => rows)

// The list is text because objects would be three times as long and hide what a row lacks.
function sectionsIn(text: string) {
  return text
    .split('## ')
    .slice(1)
    .map((part) => {
      const [title = '', ...lines] = part.trim().split('\n')
      return { title, rows: lines.map((line) => rowIn(title.split(' ')[0]!, line)) }
    })
}

function rowIn(section: string, line: string): InterfaceRow {
  const [row = '', route = '', client = '', command = '', tests = ''] = line.split(' | ')
  return {
    section,
    row,
    route: route === 'the same' ? row : route,
    client,
    command: `windrow ${command}`,
    tests: tests.split('; ').map((each) => {
      const [file = '', ...title] = each.split(': ')
      return [`test/${file}.test.ts`, title.join(': ')]
    }),
  }
}
