# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Finds Java 17 and fetches HBase's jars by Maven, once."""

import contextlib
import fcntl
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from . import ToolError

HOME = Path(__file__).resolve().parent.parent
JARS = HOME / "target" / "lib"
POM = HOME / "pom.xml"
STAMP = JARS / ".pom-sha256"


def find_java():
    """The path of a Java 17, wherever it is: HBase 2.6 does not run on newer versions."""
    candidates = []
    if os.environ.get("JAVA_HOME"):
        candidates.append(os.path.join(os.environ["JAVA_HOME"], "bin", "java"))
    if shutil.which("java"):
        candidates.append(shutil.which("java"))
    candidates += sorted(glob.glob("/usr/lib/jvm/*17*/bin/java"))
    for candidate in candidates:
        if _is_java_17(candidate):
            return os.path.realpath(candidate)
    raise ToolError(
        "no Java 17 found in JAVA_HOME, on the PATH or as /usr/lib/jvm/*17*: "
        "apt-get install openjdk-17-jre-headless"
    )


def _is_java_17(path):
    try:
        answer = subprocess.run([path, "-version"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0 and re.search(r'version "17[."]', answer.stderr) is not None


def ensure_jars(java):
    """Lets Maven fill target/lib, unless that matches pom.xml already. Returns the folder."""
    if _jars_are_current():
        return JARS
    JARS.parent.mkdir(exist_ok=True)
    with open(JARS.parent / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _jars_are_current():
            _run_maven(java)
    return JARS


def compile_source(java, name):
    """Compiles standalone/NAME.java, unless that was done since it changed. Returns the folder."""
    source, classes = HOME / "standalone" / f"{name}.java", JARS.parent / "classes"
    compiled = classes / f"{name}.class"
    if compiled.exists() and compiled.stat().st_mtime >= source.stat().st_mtime:
        return classes
    compiler = Path(java).parent / "javac"
    if not compiler.exists():
        raise ToolError(f"no javac beside {java}: apt-get install openjdk-17-jdk-headless")
    command = [str(compiler), "-classpath", f"{JARS}/*", "-d", str(classes), str(source)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise ToolError(f"{source} does not compile:\n{result.stdout}{result.stderr}")
    return classes


def describe_times(seconds, jars_seconds):
    """The time of a start, without the time to fetch the jars, which happens once."""
    if jars_seconds < 1:
        return f"after {seconds:.1f} s"
    return f"after {seconds - jars_seconds:.1f} s, and {jars_seconds:.1f} s to bring HBase's jars,"


def _pom_digest():
    return hashlib.sha256(POM.read_bytes()).hexdigest()


def _jars_are_current():
    with contextlib.suppress(OSError):
        return STAMP.read_text(encoding="ascii") == _pom_digest()
    return False


def _run_maven(java):
    maven = shutil.which("mvn")
    if maven is None:
        raise ToolError("Maven is needed once, to bring HBase's jars: apt-get install maven")
    print("hbase: bringing HBase's jars by Maven, once (118 MB)", file=sys.stderr, flush=True)
    shutil.rmtree(JARS, ignore_errors=True)
    command = [maven, "--batch-mode", "--quiet", "--file", str(POM), "package"]
    environment = dict(os.environ, JAVA_HOME=str(Path(java).parent.parent))
    result = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if result.returncode != 0:
        tail = "\n".join((result.stdout + result.stderr).splitlines()[-15:])
        raise ToolError(
            f"Maven could not bring HBase's jars (exit code {result.returncode}):\n{tail}\n"
            f"Is Maven Central or a mirror of it reached? Try: {' '.join(command)}"
        )
    STAMP.write_text(_pom_digest(), encoding="ascii")
