"""JupyterLab 4 and Notebook 7 as this folder bundles them, served by Debian's jupyter_server 1.23
and jupyterlab_server 2.16:

    /usr/bin/python3 app.py --port 8899 --no-browser --ServerApp.root_dir=NOTEBOOKS

/lab is JupyterLab, /notebooks/NAME.ipynb Notebook 7's page of one notebook.
LAB4_STATE is a folder for what users set.
"""
import json
import os

os.environ["JUPYTER_NO_CONFIG"] = "1"

from jupyter_server.base.handlers import JupyterHandler  # noqa: E402
from jupyterlab_server import LabServerApp  # noqa: E402
from jupyterlab_server.handlers import LabHandler  # noqa: E402
from tornado import web  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, "build")
STATE = os.environ["LAB4_STATE"]

with open(os.path.join(BUILD, "versions.json")) as f:
    VERSIONS = json.load(f)


class Notebook7(LabHandler):
    """Notebook 7's page of one notebook."""

    @web.authenticated
    def get(self, path=""):
        self.write(self.render_template("notebook.html", page_config=self.get_page_config()))


class Me(JupyterHandler):
    """Who the user is, which jupyter_server 2 tells and 1.23 does not."""

    @web.authenticated
    def get(self):
        user = {"username": "test", "name": "Test", "display_name": "Test", "initials": "T", "avatar_url": None, "color": None}
        self.finish(json.dumps({"identity": user, "permissions": {}}))


def _jupyter_server_extension_points():
    return [{"module": __name__, "app": FrontEnds}]


class FrontEnds(LabServerApp):
    name = "lab"
    extension_url = "/lab"
    default_url = "/lab"
    load_other_extensions = False
    app_name = "JupyterLab"
    app_version = VERSIONS["lab"]
    schemas_dir = os.path.join(BUILD, "schemas")
    static_dir = os.path.join(BUILD, "static")
    templates_dir = os.path.join(HERE, "templates")
    themes_dir = os.path.join(BUILD, "themes")
    app_settings_dir = os.path.join(STATE, "settings")
    user_settings_dir = os.path.join(STATE, "user-settings")
    workspaces_dir = os.path.join(STATE, "workspaces")

    def initialize_handlers(self):
        self.handlers.append(("/notebooks(.*)", Notebook7))
        self.handlers.append(("/api/me", Me))
        super().initialize_handlers()

    def initialize_settings(self):
        super().initialize_settings()
        self.serverapp.web_app.settings["terminals_available"] = False
        page = self.serverapp.web_app.settings.setdefault("page_config_data", {})
        page["notebookVersion"] = "[1, 23, 3]"


if __name__ == "__main__":
    FrontEnds.launch_instance()
