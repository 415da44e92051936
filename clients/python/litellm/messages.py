from chat import ask, server, stream

server.update(model="anthropic/qwen3", base_url="http://127.0.0.1:8700")
