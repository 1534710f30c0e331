// What JupyterLite looks for in a page: its address, when it is loaded, and sockets.
import { PageConfig } from '@jupyterlab/coreutils';
import { WebSocket } from 'mock-socket';

PageConfig.setOption('baseUrl', 'http://localhost/lite/');
PageConfig.setOption('wsUrl', 'ws://localhost/lite/');
globalThis.WebSocket = WebSocket;
