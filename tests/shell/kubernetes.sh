#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# packaging/kubernetes.yaml against the rules of the API that it uses: fields that there are, names,
# selector, volumes, ports; and its capabilities against the service's. No cluster takes part.
set -euo pipefail
cd "$(dirname "$0")/../.."

python3 -c 'import yaml' 2>/dev/null || { echo "skipped: no python3-yaml" && exit 77; }
service=$(sed -n 's/^CapabilityBoundingSet=//p' packaging/rxaqm.service)

# check: reads a manifest. The fields are those of the Kubernetes API reference, v1.30.
check()
{
	python3 - "$service" 3<&0 <<-'END'
		import os, re, sys, yaml

		FIELDS = {
		    "": "apiVersion kind metadata spec data",
		    "metadata": "name namespace labels annotations",
		    "spec": "selector template updateStrategy minReadySeconds revisionHistoryLimit",
		    "selector": "matchLabels matchExpressions",
		    "template": "metadata spec",
		    "template.spec": "hostNetwork hostPID automountServiceAccountToken priorityClassName "
		    "nodeSelector tolerations containers volumes",
		    "containers": "name image imagePullPolicy command args env ports livenessProbe readinessProbe "
		    "securityContext resources volumeMounts",
		    "env": "name value valueFrom",
		    "ports": "name containerPort hostPort protocol",
		    "probe": "exec httpGet initialDelaySeconds periodSeconds timeoutSeconds failureThreshold",
		    "exec": "command",
		    "httpGet": "path port scheme",
		    "securityContext": "privileged readOnlyRootFilesystem runAsUser runAsNonRoot capabilities "
		    "allowPrivilegeEscalation",
		    "capabilities": "add drop",
		    "resources": "requests limits",
		    "volumeMounts": "name mountPath readOnly mountPropagation",
		    "volumes": "name hostPath configMap",
		    "hostPath": "path type",
		    "configMap": "name",
		}
		TYPES = {"", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice"}
		NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
		wrong = []

		def expect(true, what):
		    if not true:
		        wrong.append(what)

		def fields(kind, value):
		    for key in value or {}:
		        expect(key in FIELDS[kind].split(), f"{kind}: no field {key}")

		def unique(items, what):
		    names = [item["name"] for item in items]
		    for name in names:
		        expect(NAME.fullmatch(name), f"{what}: bad name {name}")
		    expect(len(set(names)) == len(names), f"{what}: a name twice")
		    return set(names)

		objects = list(yaml.safe_load_all(os.fdopen(3)))
		kinds = {each["kind"]: each for each in objects}
		for each in objects:
		    fields("", each)
		    fields("metadata", each["metadata"])
		    expect(NAME.fullmatch(each["metadata"]["name"]), "metadata: bad name")
		daemon = kinds["DaemonSet"]
		expect(daemon["apiVersion"] == "apps/v1", "apiVersion of a DaemonSet")
		expect(kinds["ConfigMap"]["apiVersion"] == "v1", "apiVersion of a ConfigMap")
		expect(all(isinstance(v, str) for v in kinds["ConfigMap"]["data"].values()), "data: not text")
		spec = daemon["spec"]
		template = spec["template"]
		pod = template["spec"]
		fields("spec", spec)
		fields("selector", spec["selector"])
		fields("template", template)
		fields("template.spec", pod)
		labels = template["metadata"]["labels"]
		expect(spec["selector"]["matchLabels"].items() <= labels.items(), "selector: not the labels of the pod")
		volumes = unique(pod["volumes"], "volumes")
		for volume in pod["volumes"]:
		    fields("volumes", volume)
		    expect(len(volume) == 2, f"volume {volume['name']}: not one source")
		    fields("hostPath", volume.get("hostPath"))
		    fields("configMap", volume.get("configMap"))
		    if "hostPath" in volume:
		        expect(volume["hostPath"].get("type", "") in TYPES, "hostPath: type")
		    if "configMap" in volume:
		        expect(volume["configMap"]["name"] == kinds["ConfigMap"]["metadata"]["name"], "configMap: name")
		unique(pod["containers"], "containers")
		used, ports, programs = set(), set(), set()
		for container in pod["containers"]:
		    fields("containers", container)
		    security = container["securityContext"]
		    fields("securityContext", security)
		    fields("capabilities", security["capabilities"])
		    fields("resources", container["resources"])
		    expect(not security["privileged"], "privileged")
		    expect(security["capabilities"]["drop"] == ["ALL"], "drops not all")
		    for port in container.get("ports", []):
		        fields("ports", port)
		        ports.add(port["containerPort"])
		    for variable in container.get("env", []):
		        fields("env", variable)
		    for probe in container.get("livenessProbe"), container.get("readinessProbe"):
		        fields("probe", probe)
		        for how in "exec", "httpGet":
		            fields(how, (probe or {}).get(how))
		        if probe:
		            expect(len({"exec", "httpGet"} & probe.keys()) == 1, "probe: not one way")
		            expect(probe.get("httpGet", {}).get("port") in ports | {None}, "probe: port")
		            expect(probe.get("exec", {}).get("command", ["rxaqm"])[0] == "rxaqm", "probe: program")
		    program = os.path.basename(container.get("command", ["rxaqm"])[0])
		    programs.add(program)
		    # The exporter has no more rights than its unit.
		    service = {name.removeprefix("CAP_") for name in sys.argv[1].split() if program == "rxaqm"}
		    expect(set(security["capabilities"].get("add", [])) == service, "capabilities: not the service's")
		    expect((security["runAsUser"] == 0) == (program == "rxaqm"), "runAsUser")
		    paths = [mount["mountPath"] for mount in container["volumeMounts"]]
		    expect(len(set(paths)) == len(paths), "mountPath twice")
		    for mount in container["volumeMounts"]:
		        fields("volumeMounts", mount)
		        expect(mount["mountPath"].startswith("/") and ":" not in mount["mountPath"], "mountPath")
		        used.add(mount["name"])
		expect(used == volumes, f"volumes and mounts differ: {used ^ volumes}")
		expect(pod["hostNetwork"] is True, "not in the network of the host")
		expect(programs == {"rxaqm", "rxaqm-exporter"}, f"programs: {programs}")
		notes = template["metadata"]["annotations"]
		expect(all(isinstance(v, str) for v in notes.values()), "annotations: not text")
		expect(notes["prometheus.io/port"] in map(str, ports), "annotations: port")
		print("\n".join(wrong), end="")
		sys.exit(bool(wrong))
	END
}

check <packaging/kubernetes.yaml
# What it is for: each of these it finds.
refuses()
{
	local said

	! said=$(sed "$1" packaging/kubernetes.yaml | check) || { echo "taken: $1" && exit 1; }
	[[ $said == *"$2"* ]] || { echo "$1: $said" && exit 1; }
}
refuses 's/hostNetwork: true/hostNetwrk: true\n      hostNetwork: true/' 'no field hostNetwrk'
refuses 's/SYSLOG, CHOWN/SYSLOG/' 'capabilities'
refuses '0,/- name: state/s//- name: stat/' 'volumes and mounts differ'
refuses 's|^      app.kubernetes.io/name: rxaqm$|      app.kubernetes.io/name: other|' 'selector'
refuses 's/type: Directory$/type: Dir/' 'hostPath'
refuses '0,/port: 9752/s//port: 9753/' 'probe: port'
refuses 's|io/port: "9752"|io/port: "9751"|' 'annotations: port'
refuses 's/scrape: "true"/scrape: true/' 'annotations: not text'
refuses 's/runAsUser: 65534/runAsUser: 0/' 'runAsUser'
