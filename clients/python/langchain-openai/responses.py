from chat import ask, model, stream

model.use_responses_api = True
