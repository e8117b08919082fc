"""nginx between a browser and the page: a reverse proxy, with the configuration that a test gives."""

import shutil
import subprocess
import textwrap

from Tests.endtoend.harness import TIMEOUT, wait_until
from Tests.endtoend.servers import free_port, listens


def why_no_nginx():
    """Why there is no nginx for tests; None if there is one."""
    return None if shutil.which("nginx", path="/usr/sbin:/usr/bin") else "needs nginx"


class Nginx:
    """A server at `port` with one location. It is a context manager; `configure` changes the location while it
    runs."""

    def __init__(self, folder, location):
        self.port = free_port()
        self._folder = folder / "nginx"
        self._folder.mkdir()
        self._write(location)

    def _write(self, location):
        places = "".join(
            f"{kind}_temp_path {self._folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (self._folder / "nginx.conf").write_text(textwrap.dedent(f"""\
            daemon off;
            pid {self._folder}/pid;
            error_log {self._folder}/error.log;
            events {{}}
            http {{
                access_log off;
                {places}
                server {{
                    listen 127.0.0.1:{self.port};
                    {location}
                }}
            }}
            """))

    def __enter__(self):
        self._process = subprocess.Popen(
            ["/usr/sbin/nginx", "-p", self._folder, "-e", self._folder / "error.log", "-c", self._folder / "nginx.conf"],
            stdin=subprocess.DEVNULL)
        wait_until(lambda: listens(self.port) or self._process.poll() is not None, "nginx listens")
        assert self._process.poll() is None, (self._folder / "error.log").read_text()
        return self

    def configure(self, location):
        """Changes the location. Connections of the old one end."""
        self.__exit__()
        self._write(location)
        self.__enter__()

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(TIMEOUT)
