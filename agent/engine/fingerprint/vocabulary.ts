const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/**
 * Words with which programs say what went wrong, in small letters and without a plural's s. One of them makes a
 * difference: a connection that was refused is not one that was reset. Nobody's name, city or search is among them.
 */
export const LANGUAGE = words(`
a an the this that these those it its you your we our they their he she who what which when where why how
and or but nor not no none never neither either both all any each every some more most less least only same other another
is are was were be been being am do does did done has have had having can cannot can't could couldn't will would won't may might must should shall
don't doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't shouldn't wouldn't
of to in on at by for from with without within into onto out over under up down off about after before during until since between against through as than then so if else because while again still yet already also too very just once twice per via upon near
nobody nothing everybody somebody anybody
zero one two three four five first second third last next previous new old current old own
abort aborted aborting absent accept acceptable accepted access accessible account acquire acquired action active actual add added additional address admin after agent ahead algorithm alias allocate allocated allocation allow allowed ambiguous amount annotation api app append application apply approval approve approved archive argument array assert assertion assign assigned assignment assistant associated assume async attach attached attachment attempt attempted attribute auth authenticate authenticated authentication authorization authorize authorized auto available await awaited
back backend background backup bad balance base batch begin behind below binary bind binding bit blank block blocked blocking body boolean both bound boundary branch break broken broker browser bucket buffer bug build built bundle busy byte bytes
cache cached call callable callback called caller cancel canceled cancelled cancellation capability capacity case cast cause certificate chain change changed channel char character charge charset check checkpoint checksum child choice chunk circuit circular class clause clean cleanup client clock clone close closed cloud cluster code codec collection column combination command comment commit committed common compare compatible compile compiled complete completed completion component compress compute concurrent concurrency condition conditional config configuration configure configured confirm conflict conflicting connect connected connecting connection consent consistent constant constraint construct constructor consume consumer contain container containing content context continue contract control conversation conversion convert converted cookie copy core corrupt corrupted count crash crashed create created creating creation credential credit cron current cursor custom cycle
data database dataset date daemon dead deadline deadlock debug decimal declared decline declined decode decoded decoder decoding decrypt default deferred define defined definition degraded delay delete deleted deletion delimiter delivery denied deny depend dependency deploy deployed deployment deprecated depth descriptor deserialize destination destroyed detail detected device diff different digest digit dimension direct directory disable disabled disconnect disconnected discount disk dispatch division dns document domain double download driver drop dropped due dummy duplicate duplicated duration dynamic
early edge edit element embed embedding empty enable enabled encode encoded encoder encoding encountered encrypt end ended endpoint engine enough enqueue ensure enter entity entry enum env environment equal error errored escape evaluate evaluation event evict exact exceed exceeded exceeding except exception exclude exclusive execute executed executing execution executor exhausted exist existing exists exit exited exiting expect expected expensive expire expired expiration expiry explicit export exported expression extend extension external extra extract
fail failed failing failure fallback false fatal fault feature feedback fetch fetched fetching field file filter final find finish finished firewall fixed flag float flow flush folder follow following forbidden force foreign forget fork form format formatted forward found frame free fresh frozen full function future
gateway gave generate generated generation generator generic get getting give given global go gone got graph greater group guard
had halt handle handled handler handshake hang hash head header health heap heartbeat height hidden high history hit hold hook host hostname human
icon id identical identifier idle ignore ignored illegal image immediate immutable implement implementation implemented implicit import imported in inactive include included incoming incompatible incomplete inconsistent incorrect increment indent index infer infinite info inherit init initial initialization initialize initialized inner input insert inserted install installed instance instead instruction insufficient integer integrity intent interface internal internet interpolation interpreter interrupt interrupted interval invalid invocation invoke invoked io isolated isolation issue item iterable iteration iterator
job join json jump just
keep kept key keyword kill killed kind known
label lack language large last latency later launch layer layout lazy leader leaf leak lease leave left legacy length less level library license lifetime like limit limited line link list listen listener literal load loaded loader loading local locale located location lock locked log logged logger login logout long lookup loop lost low lower
machine made main make malformed manager mandatory manifest manual map mapped mapping mark markdown mask master match matched matching matches maximum max mean medium member memory merge message metadata meter method metric middleware migrate migration minimum min minute mismatch missing mode model moderation modified modify module moment monitor month move moved multiple must mutation mutex
name named namespace narrow native navigate need needed negative nested network new next node non none nonexistent normal not note nothing notice notification null nullable nullish number numeric
object observed obsolete occupied occur occurred offline offset ok old omit omitted once online open opened opening operation operator optional option oracle order ordinal origin original orphan out outage outdated outgoing output outside over overflow overlap overload overloaded override owner ownership
pack package packet padding page pair panic parallel parameter param parent parse parsed parser parsing part partial partition pass passed password patch path pattern pause paused payload payment peer pending per perform performed period permanent permission permitted persist phase physical pick ping pipe pipeline place placeholder plain plan planned platform plugin point pointer policy poll polling pool port position positive possible post power precision predicate prefix prepare prepared present preset prevent previous primary primitive print prior priority private privilege probe problem procedure process processed processing processor produce producer profile program progress project prompt proof proper properly property protected protocol provide provided provider proxy public publish published pull purchase purge push put
qualified quality query queue queued quit quota quote quoted
race raise raised random range rate ratio raw reach reached reachable read reading readable reader readonly ready real reason rebuild receive received receiver recent recipient recognize recognized reconnect record recover recovery recursion recursive redirect reduce reducer redundant ref refer reference referenced refresh refund refuse refused refusal region register registered registry reject rejected rejection relation relative release released reload remain remaining remote remove removed removing rename render rendered rendering renew repair repeat repeated replace replaced replica reply report repository request requested require required requirement requires reserved reset resize resolution resolve resolved resolver resource respond responded response rest restart restarted restore restricted result resume retrieval retrieve retriever retry retried retrying return returned reuse reverse revision revoke revoked rewrite right role rollback rolled root rotate round route router row rule run runner running runtime
safe sample sandbox save saved scalar scale scan schedule scheduled scheduler schema scope script search second secret section secure security see segment select selected selector self send sending sender sent separator sequence serial serialize serialized server service session set setting setup severe shape shard share shared shell short shut shutdown side sign signal signature signed silent similar simple single site size skip skipped slot slow small snapshot socket soft software some sort sorted source space span spawn special specific specified specify speed split stack stage stale standard start started starting startup state statement static statistic status step still stop stopped stopping storage store stored stream streaming strict string strip structure structured style subgraph submit submitted subprocess subscribe subscription succeed success successful suffix suggested summary superstep supplied supply support supported suspend suspended swap switch symbol sync synchronous syntax system
table tag take taken target task template temporary temporarily tenant term terminate terminated terminating termination test text thread threshold throttle throttled throttling through throw thrown throughput ticket time timed timeout timestamp timezone tls today together toggle token too tool top topic total trace track trade traffic trailing transaction transfer transform transient transition translate transmission transport trap traversal tree trigger triggered trip true truncate truncated trust trusted try tried trying tuple turn type typed
unable unacceptable unauthenticated unauthorized unavailable unbound uncaught unchanged undefined underflow underlying undo unexpected unhandled unhealthy union unique unit universe unknown unless unlock unmapped unnamed unparsable unprocessable unreachable unreadable unrecognized unregistered unrelated unreleased unresolved unresponsive unsafe unsaved unset unsigned unspecified unstable unsupported unterminated untrusted unused unusable up update updated updating upgrade upload uploaded upper upstream usage use used user using usual
valid validate validated validation validator value variable variant vector vendor verb verification verified verify version video view violate violated violates violation virtual visible void volume vote
wait waited waiting wake warn warning watch weak webhook whole wide widget width window wire withdraw withdrawn word work worker workflow workspace wrap wrapped wrapper write writer writing written wrong
xml yaml yield
http https tcp udp ssl ssh ftp smtp imap sql html css csv pdf png jpeg utf ascii unicode uri url uuid jwt oauth saml ldap kms iam cpu gpu ram eof tty pid rpc grpc graphql rest soap sse mcp llm rag ai ml ip arn crud cors csrf xss orm
get post put patch delete head options
select insert update delete truncate alter drop grant
`);

/** Programs and services that others call, in small letters. */
export const SERVICES = words(`
postgres postgresql mysql mariadb sqlite mongodb mongo redis kafka rabbitmq elasticsearch opensearch clickhouse snowflake bigquery dynamodb cassandra neo4j qdrant pinecone weaviate chroma milvus supabase firebase docker kubernetes nginx node npm bun deno python java rust go ruby php
openai anthropic google gemini mistral ollama cohere bedrock azure aws gcp vertex groq together fireworks deepseek huggingface langchain langgraph langsmith tavily serpapi stripe paypal github gitlab bitbucket jira confluence slack discord telegram twilio sendgrid mailgun hubspot salesforce zendesk shopify notion airtable asana trello linear intercom dropbox sharepoint onedrive box minio nats celery temporal airflow cloudflare vercel netlify heroku sentry datadog grafana prometheus okta auth0 keycloak figma miro webex clickup basecamp todoist spotify youtube vimeo facebook instagram linkedin whatsapp mastodon bluesky reddit wordpress magento woocommerce shopware etsy ebay amazon klarna adyen mollie paddle square braintree plaid xero quickbooks datev sap netsuite workday docusign calendly mailchimp brevo postmark resend mapbox wikipedia bing duckduckgo gmail outlook calendar zoom teams drive sheets
`);

/** What stands behind or in front of one of these is a name in the program, not something that somebody sent. */
export const NAME_NOUNS = words(`
field column property attribute argument parameter param variable env environment setting config configuration option flag
tool model node agent subagent graph assistant chain channel step stage task handler hook callback function method class type module package library dependency import plugin extension driver adapter codec encoding
table relation constraint index schema database collection bucket queue topic stream partition keyspace
host hostname server service endpoint route provider region cluster deployment
permission scope role privilege policy header cookie secret credential
command operator operation action event state status format protocol algorithm version
feld spalte tabelle werkzeug modell einstellung champ colonne outil modèle paramètre campo columna tabla herramienta modelo
parámetro colonna tabella strumento modello parametro coluna tabela ferramenta parâmetro veld kolom tabel pole kolumna narzędzie fält
`);

/** What stands behind one of these is something that somebody sent or looked for. */
export const VALUE_NOUNS = words(`
user username customer reader borrower subscriber donor visitor traveller traveler resident applicant pupil trainer caller client person people patient employee member guest passenger contact lead recipient sender author owner driver student teacher candidate company supplier partner merchant seller buyer tenant
city town country state street location place airport station hotel restaurant venue room seat flight train
vehicle car truck bike ship vessel plate
order invoice shipment parcel booking reservation ticket case claim product item article sku slug brand category coupon voucher
document file filename folder page report title book movie song album artist team player game recipe dish
query search term keyword phrase text topic question word name called named nickname login symbol ticker currency language
id code number phone address email url link account project repository repo
date time day
for from to in near at about matching like between by with as and on of against towards
got received given was
`);

/** What other languages call the things that programs speak of: in front of a value they tell what it is the value of. */
export const THINGS = words(`
kunde kundin vertrag auftrag bestellung rechnung angebot akte antrag termin konto gerät patient patientin mitarbeiter mitarbeiterin lieferant lieferung paket artikel produkt benutzer nutzer zähler raum zimmer zug fahrt buchung ticket fahrzeug gerät datei seite
client cliente commande facture dossier contrat devis compte rendez-vous patient colis article produit utilisateur salle chambre train réservation billet véhicule fichier
pedido factura contrato expediente cuenta cita paciente paquete artículo producto usuario habitación tren reserva billete vehículo archivo
ordine fattura contratto pratica conto appuntamento paziente pacco articolo prodotto utente stanza camera treno prenotazione biglietto veicolo
encomenda fatura processo conta consulta pacote artigo produto quarto bilhete veículo ficheiro
klant contract bestelling factuur dossier rekening afspraak patiënt pakket artikel gebruiker kamer trein boeking voertuig bestand
klient umowa zamówienie faktura sprawa konto wizyta pacjent paczka artykuł produkt użytkownik pokój pociąg rezerwacja bilet pojazd plik
客户 客戶 顾客 订单 訂單 用户 用戶 合同 账户 账号 发票 商品 产品 航班 车次 房间 酒店 会议 文件 病人 医生 快递 包裹 预约
顧客 注文 予約 契約 会員 口座 請求書 製品 部屋 宿 便 列車 患者 荷物 ファイル 利用者
고객 주문 예약 계약 회원 계좌 상품 제품 객실 항공편 환자 파일
kund avtal beställning faktura ärende patient paket produkt användare rum tåg bokning biljett fordon
meter tariff batch tank device sensor lamp policy contract quote subscription plan course class lesson appointment shift bill payment refund delivery truck driver farm field machine printer gate lift pass loan member
`);

/** Behind these a verb follows. */
export const MODALS = words(
  "not cannot can't couldn't won't wouldn't mustn't shouldn't don't doesn't didn't can could will would must should shall may might to nicht pas no non não nie",
);

/** In front of `to` or `for` they say that a verb or a thing of the program follows. */
export const BEFORE_VERB = words(`
fail failed failing unable try tried trying attempt attempted attempting able allowed permitted permission authorized refuse refused need needs needed want wanted required used supposed expected like forbidden not
connect connected connecting connection convert converted cast assign assigned bind bound write wrote
wait waited waiting timed responsible due thank owing according
`);

/** Small words in people's names. */
export const PARTICLES = words(
  "van von de der den di da du des dos la le el al bin ibn und y zu zum ten ter am im vom beim zur",
);

/** In front of a day or a time they are part of it. */
export const TIME_LEADS = words(
  "on in at by until since from am im an um bis ab seit vom zum den dem le la les el los il lo gli al dal del fino a à às ao no na nos nas em até dia día jour jusqu'au jusqu'à vanaf op om tot do od w den til fra kl",
);

/** With these a program speaks of somebody, or something, that it has no name for. */
export const UNTOLD = words("a an unknown anonymous unnamed someone somebody everyone everybody everything");

/** Words of people's questions and searches that programs hardly use. */
export const ASKING = words("i me my mine we us our how what who where why best near cheap");

/** Somebody asks, and no program does. */
export const QUESTIONS = words("i me my mine how what who where why");

/**
 * With one of these a sentence goes on: it is in no name and hardly in a search. Other languages have few of them, too,
 * and where the words of a language are not known they still tell what somebody says from what somebody sent.
 */
export const AUXILIARIES =
  words(`is are was were be been has have had could cannot can't couldn't will would won't must should shall does did do
don't doesn't didn't isn't aren't wasn't weren't not
ist sind war waren wird werden wurde wurden haben hatte kann können konnte darf muss müssen soll sollte nicht kein keine keinen
est sont était étaient été sera ont avait peut peuvent doit doivent pas ne n'est n'a n'ont n'existe
es está están fue fueron ha han había puede pueden debe deben tiene hay
é são estão foi foram tem têm pode podem deve não há
è sono era stato stata hanno può possono devono non
zijn wordt worden werd heeft hebben kan kunnen moet moeten niet geen
jest są był była było został została może można nie
är blev har hade ska inte er ikke ej
je jsou byl byla bylo nelze není değil yok
не нет был была было может есть`);

/** Small words that are in names of things, too. */
export const SMALL = words("of the and or for in on at to with from by without vs no last next this");

/** What is counted: behind a number they are part of the value. */
export const UNITS = words("attempt try retry time item row result step second minute");

/** In front of people's names. */
export const TITLES = words(
  "mr mrs ms miss dr prof sir madam herr herrn frau m mme mlle sr sra srta dra dott sig don doña dom",
);

/** Endings of file names. */
export const FILE_ENDINGS = words(`
pdf doc docx xls xlsx ppt pptx csv tsv txt md json jsonl yaml yml xml html htm log zip tar gz tgz 7z rar png jpg jpeg gif svg webp heic mp3 mp4 wav mov avi mkv webm ogg flac parquet feather ics eml msg epub key pages numbers odt ods bak tmp dat db sqlite ipynb
`);
