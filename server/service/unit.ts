/** What a unit says that differs from one machine to another. */
type UnitOptions = {
  /** The program and its first words, each an absolute path or a plain word. */
  command: readonly string[];
  /** Absolute. */
  data: string;
  /** Absolute; the environment of the service. */
  environmentFile: string;
  /** Null for root, under whom each deployment has a user of its own. */
  user: string | null;
  /** Whether an engine on this machine runs deployments of images by itself, as Podman does. */
  containers: boolean;
  /** Of systemd. */
  version: number;
};

/** From this version on, systemd starts a service again in a group of its own beside those that it had delegated. */
const OWN_SUBGROUP = 254;

/**
 * A unit for systemd. It closes what Berth, and what it deploys, never need; `systemd-analyze security` rates it.
 */
export function unitText(options: UnitOptions): string {
  const { user, containers } = options;
  return `# Made by "berth service print". What you change belongs into a drop-in: systemctl edit berth
[Unit]
Description=Berth, a home for LangGraph agents
Documentation=man:systemd.service(5)
After=network-online.target
Wants=network-online.target

[Service]
# Ready once it listens; stopping, it says itself how long that may take.
Type=notify
TimeoutStartSec=600
TimeoutStopSec=200
${runs(options)}
# Reads the settings again, as far as that goes while it runs: LOG_LEVEL and LOG_FORMAT.
ExecReload=/bin/kill -HUP $MAINPID
Restart=always
RestartSec=2
LimitNOFILE=65536
${ending(options)}
# A deployment that takes too much memory is no reason to end the others.
OOMPolicy=continue
UMask=0077
${hardening({ user, containers }).join("\n")}

[Install]
WantedBy=multi-user.target
`;
}

function runs({ command, data, environmentFile, user }: UnitOptions): string {
  const words = [
    ...command,
    "start",
    "--data",
    data,
    ...(user === null ? ["--env-file", environmentFile] : []),
  ];
  const [, state] = /^\/var\/lib\/(.+)$/.exec(data) ?? [];
  return [
    `ExecStart=${words.map(word).join(" ")}`,
    // With the dash it may be missing; with --env-file, SIGHUP reads it again.
    `EnvironmentFile=${user === null ? "" : "-"}${plain(environmentFile)}`,
    "Environment=LOG_FORMAT=json",
    `WorkingDirectory=${plain(data)}`,
    ...(state === undefined
      ? [`ReadWritePaths=${word(data)}`]
      : [
          `StateDirectory=${word(state)}`,
          // As root, deployments pass through it to what is theirs, and list nothing.
          `StateDirectoryMode=${user === null ? "0711" : "0700"}`,
        ]),
    ...(user === null ? [] : [`User=${user}`]),
  ].join("\n");
}

/** Only Berth gets the signal. It leaves its deployments to the next start, or ends them and hands their runs back. */
function ending({ version }: Pick<UnitOptions, "version">): string {
  if (version >= OWN_SUBGROUP)
    return `# Only Berth gets the signal. Its deployments go on, and the next start takes them over: a restart does not
# interrupt them. "berth stop --all" ends them.
KillMode=process
Delegate=memory cpu
DelegateSubgroup=berth`;
  return `# Berth ends its deployments itself when it gets this signal. When it is killed, so are they, and the next start starts
# them: before version ${OWN_SUBGROUP}, systemd starts nothing beside control groups that are still in use.
KillSignal=SIGINT
KillMode=mixed
Delegate=memory cpu`;
}

/** What root needs to keep deployments apart: their files, their processes, their users. */
const CAPABILITIES = [
  ...["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_DAC_READ_SEARCH", "CAP_FOWNER", "CAP_KILL"],
  ...["CAP_SETGID", "CAP_SETUID", "CAP_SYS_PTRACE", "CAP_SYS_RESOURCE"],
];

/** For everybody; nothing of it is in the way of a container engine. */
const ALWAYS = [
  "NoNewPrivileges=yes",
  "PrivateTmp=yes",
  "ProtectClock=yes",
  "ProtectHome=yes",
  "ProtectKernelLogs=yes",
  "ProtectKernelModules=yes",
  "RestrictRealtime=yes",
  "LockPersonality=yes",
  "SystemCallArchitectures=native",
];

/** An engine mounts, makes namespaces and devices, and writes into its own folders. */
const WITHOUT_ENGINE = [
  "ProtectSystem=strict",
  "PrivateDevices=yes",
  "ProtectHostname=yes",
  "ProtectKernelTunables=yes",
  "RestrictNamespaces=yes",
  "RestrictSUIDSGID=yes",
  "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
  "SystemCallFilter=@system-service",
  "SystemCallErrorNumber=EPERM",
];

function hardening({ user, containers }: Pick<UnitOptions, "user" | "containers">): string[] {
  if (containers) return [...ALWAYS, "ProtectSystem=full"];
  const capabilities = user === null ? CAPABILITIES.join(" ") : "";
  return [...ALWAYS, ...WITHOUT_ENGINE, `CapabilityBoundingSet=${capabilities}`];
}

/** A path that takes the rest of its line. */
const plain = (text: string): string => text.replaceAll("%", "%%");

/** As systemd takes words apart: quoted where that changes something. */
const word = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text)
    ? text.replaceAll("%", "%%")
    : `"${text.replaceAll(/["\\]/g, "\\$&").replaceAll("%", "%%").replaceAll("$", "$$$$")}"`;
