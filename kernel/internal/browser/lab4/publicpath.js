// Where the bundle's other files are fetched from; imported before all else.
__webpack_public_path__ = JSON.parse(document.getElementById('jupyter-config-data').textContent).fullStaticUrl + '/';
